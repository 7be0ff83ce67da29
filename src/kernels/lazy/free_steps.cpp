#include "kernels/lazy/free_steps.hpp"

#include <algorithm>
#include <cmath>

namespace quasar {

namespace {

// Cholesky's root. After one step the position has no noise yet, and at temperature 0 nothing ever has.
HamiltonianJump jump_of(const Eigen::Matrix2d& power, const Eigen::Matrix2d& covariance) {
  const double spread_x = std::sqrt(covariance(0, 0));
  const double cross = spread_x > 0 ? covariance(1, 0) / spread_x : 0;
  const double spread_p = std::sqrt(std::max(0.0, covariance(1, 1) - cross * cross));
  return {power(0, 0), power(0, 1), power(1, 0), power(1, 1), spread_x, cross, spread_p};
}

}  // namespace

void LangevinSteps::tabulate(double precision, Index count, Jump* to, Index stride) const {
  const double a = 1 - step * precision;
  double power = 1, variance = 0;
  for (Index n = 0; n < count; ++n) {
    to[n * stride] = {power, std::sqrt(variance)};
    power *= a;
    variance = a * a * variance + spread * spread;
  }
}

void HamiltonianSteps::tabulate(double precision, Index count, Jump* to, Index stride) const {
  Eigen::Matrix2d a, power = Eigen::Matrix2d::Identity(), covariance = Eigen::Matrix2d::Zero();
  a << 1, step, -step * precision, 1 - step * friction - step * step * precision;
  for (Index n = 0; n < count; ++n) {
    to[n * stride] = jump_of(power, covariance);
    power = (a * power).eval();
    covariance = (a * covariance * a.transpose()).eval();
    covariance(1, 1) += spread * spread;
  }
}

}  // namespace quasar
