#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include <quasar/check_manifold.hpp>

#include "core/log_log_slope.hpp"

namespace quasar {
namespace {

constexpr double slope_tolerance = 0.1;
constexpr double vanishing = 1e-8;

Mat unit_tangent(const Manifold& m, MatIn x, const Rng& rng, const char* role) {
  Stream stream = rng.stream(role);
  const Mat u = m.random_tangent(x, stream);
  return u / m.norm(x, u);
}

// The cost along the geodesic x(h) = exp(h u), less its Taylor polynomial.
class TaylorError {
 public:
  TaylorError(ManifoldProblem& problem, MatIn x, MatIn u, double value, double slope, double curvature)
      : problem_(problem), x_(x), u_(u), value_(value), slope_(slope), curvature_(curvature) {}
  ErrorAt operator()(double h) {
    const double there = problem_.value(problem_.manifold().exp(x_, h * u_));
    if (!std::isfinite(there) && not_finite_at_ == 0) not_finite_at_ = h;
    const double linear = h * slope_, quadratic = 0.5 * h * h * curvature_;
    const double size = std::abs(there) + std::abs(value_) + std::abs(linear) + std::abs(slope_);
    return {std::abs(there - value_ - linear - quadratic), std::numeric_limits<double>::epsilon() * size};
  }
  double not_finite_at() const { return not_finite_at_; }  // the first such h; 0: none

 private:
  ManifoldProblem& problem_;
  Mat x_, u_;
  double value_, slope_, curvature_;
  double not_finite_at_ = 0;
};

// In units of u; where that vanishes, as gradients do at an optimum, up to the rounding of a cost of this size.
double part_outside(const Manifold& m, MatIn x, MatIn u, double cost) {
  constexpr double rounding = 1e-6;  // over `vanishing`: 1e-14
  const double size = u.norm() + rounding * std::abs(cost);
  return size > 0 ? (m.project(x, u) - u).norm() / size : 0;
}

SlopeCheck verdict(const char* what, double slope, double expected, double defect, const char* defect_name) {
  const bool ok = !(slope < expected - slope_tolerance) && defect <= vanishing;
  return {ok, slope, defect,
          fmt::format("the {} {}: slope {:.3g} (expected {}), {} {:.3g}", what, ok ? "is right" : "is wrong", slope,
                      expected, defect_name, defect)};
}

SlopeCheck not_finite_on_the_way(double h) {
  return {false, 0, 0, fmt::format("the cost is not finite at a distance of {:.2g} from this point", h)};
}

SlopeCheck not_finite() { return {false, 0, 0, "the cost or its gradient is not finite at this point"}; }

}  // namespace

SlopeCheck check_gradient(ManifoldProblem& problem, MatIn x, const Rng& rng) {
  const Manifold& m = problem.manifold();
  m.check(x);
  const Mat u = unit_tangent(m, x, rng, "direction");
  Mat gradient = Mat::Constant(x.rows(), x.cols(), std::numeric_limits<double>::quiet_NaN());  // to be overwritten
  const double value = problem.gradient(x, gradient);
  if (!std::isfinite(value) || !gradient.allFinite()) return not_finite();
  TaylorError error(problem, x, u, value, m.inner(x, gradient, u), 0);
  const double slope = log_log_slope(1, std::ref(error));
  if (error.not_finite_at() > 0) return not_finite_on_the_way(error.not_finite_at());
  return verdict("gradient", slope, 2, part_outside(m, x, gradient, value), "part that is not tangent");
}

SlopeCheck check_hessian(ManifoldProblem& problem, MatIn x, const Rng& rng) {
  const Manifold& m = problem.manifold();
  m.check(x);
  const Mat u = unit_tangent(m, x, rng, "direction"), v = unit_tangent(m, x, rng, "second direction");
  const Mat nothing = Mat::Constant(x.rows(), x.cols(), std::numeric_limits<double>::quiet_NaN());
  Mat gradient = nothing, along_u = nothing, along_v = nothing;
  const double value = problem.gradient(x, gradient);
  problem.hessian(x, u, along_u);
  problem.hessian(x, v, along_v);
  if (!std::isfinite(value) || !gradient.allFinite() || !along_u.allFinite()) return not_finite();
  TaylorError error(problem, x, u, value, m.inner(x, gradient, u), m.inner(x, along_u, u));
  const double slope = log_log_slope(1, std::ref(error));
  if (error.not_finite_at() > 0) return not_finite_on_the_way(error.not_finite_at());
  const double size = m.norm(x, along_u) + m.norm(x, along_v);
  const double asymmetry = std::abs(m.inner(x, along_u, v) - m.inner(x, along_v, u)) / (1 + size);
  return verdict("Hessian", slope, 3, std::max(asymmetry, part_outside(m, x, along_u, value)),
                 "asymmetry or part that is not tangent");
}

SlopeCheck check_retraction(const Manifold& m, MatIn x, const Rng& rng) {
  m.check(x);
  const Mat u = unit_tangent(m, x, rng, "direction");
  const double rounding = std::numeric_limits<double>::epsilon() * (1 + x.norm());
  const double slope = log_log_slope(1, [&](double h) -> ErrorAt {
    return {(m.retract(x, h * u) - m.exp(x, h * u)).norm(), rounding};
  });
  const double violation = m.fault(m.retract(x, u)).empty() ? 0 : 1;
  return verdict("retraction", slope, 2, violation, "constraints violated");
}

}  // namespace quasar
