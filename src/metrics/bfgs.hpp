// The dense BFGS update of an approximate inverse Hessian H, for small dimensions.
#pragma once

#include <quasar/core.hpp>

#include "metrics/curvature_pair.hpp"

namespace quasar {

// H <- V'HV + s s'/(s'y) with V = I - y s'/(s'y), so that H y = s afterwards (Nocedal & Wright, Numerical Optimization,
// 2nd ed., eq. 6.17). O(d^2); hy is scratch of d numbers. False and unchanged: the guard refused the pair.
inline bool bfgs_update(Mat& h, In s, In y, Vec& hy, double min_curvature = exact_curvature) {
  const double sy = s.dot(y);
  if (!usable({sy, s.squaredNorm(), y.squaredNorm()}, min_curvature)) return false;
  hy.noalias() = h.selfadjointView<Eigen::Lower>() * y;
  const double along_s = (1 + y.dot(hy) / sy) / sy;
  // Entry by entry and the same on both sides of the diagonal, so that H stays symmetric to the last bit.
  for (Index j = 0; j < h.cols(); ++j) {
    for (Index i = j; i < h.rows(); ++i) {
      h(i, j) += along_s * s[i] * s[j] - (s[i] * hy[j] + hy[i] * s[j]) / sy;
      h(j, i) = h(i, j);
    }
  }
  return true;
}

}  // namespace quasar
