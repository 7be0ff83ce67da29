// Which pairs (s, y) = (difference of points, difference of gradients of U) may enter a BFGS update.
#pragma once

#include <cmath>

namespace quasar {

inline constexpr double exact_curvature = 1e-8;  // kappa for gradients without noise; noisy ones want 1e-3 or more
inline constexpr double least_curvature_cosine = 1e-10;  // of the angle between s and y

struct PairProducts {
  double sy, ss, yy;  // s'y, s's, y'y
};

// H stays positive definite if s'y > 0; the margins keep its condition number bounded. A NaN or an infinity fails.
inline bool usable(const PairProducts& p, double min_curvature) {
  return std::isfinite(p.ss) && std::isfinite(p.yy) && p.ss > 0 && p.sy > min_curvature * p.ss &&
         p.sy > least_curvature_cosine * std::sqrt(p.ss) * std::sqrt(p.yy);
}

}  // namespace quasar
