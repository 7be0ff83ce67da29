// G = diag(1/x), the metric of positive parameters: the implicit equations of a generalised leapfrog separate, and each
// has a closed form. With v_i = x_i p_i, w_i = v'(dG/dx_i)v = -p_i^2.
#pragma once

#include <cmath>

#include <quasar/core.hpp>

namespace quasar {

// k y^2/2 + b y = c with b > 0: the root that tends to c/b as k -> 0, without cancellation. NaN: there is none.
inline double near_root(double b, double k, double c) { return 2 * c / (b + std::sqrt(b * b + 2 * k * c)); }

// x' = x + forth x p + back x' p. False: one of the factors is not positive, and the way back would be another one.
inline bool reciprocal_drift(double forth, double back, const Vec& p, Vec& x) {
  bool possible = true;
  for (Index i = 0; i < x.size(); ++i) {
    const double numerator = 1 + forth * p[i], denominator = 1 - back * p[i];
    possible = possible && numerator > 0 && denominator > 0;
    x[i] *= numerator / denominator;
  }
  return possible;
}

}  // namespace quasar
