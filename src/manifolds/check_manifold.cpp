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
constexpr double vanishing_of_differences = 1e-6;  // Hessians may be differences of gradients, with half of the digits
constexpr double rounding = 1e-14;                 // of a cost of size 1

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
    change_ = std::abs(there - value_);
    const double linear = h * slope_, quadratic = 0.5 * h * h * curvature_;
    const double size = std::abs(there) + std::abs(value_) + std::abs(linear) + std::abs(slope_);
    rounding_ = std::numeric_limits<double>::epsilon() * size;
    return {std::abs(there - value_ - linear - quadratic), rounding_};
  }
  double not_finite_at() const { return not_finite_at_; }  // the first such h; 0: none
  // No error stands clear of rounding: is that because all agrees, or because rounding covers what the polynomial
  // tells, as where a large constant is added to the cost? After the longest step.
  bool is_drowned() const {
    const double told = std::max({change_, std::abs(slope_), 0.5 * std::abs(curvature_)});
    return clear_of_rounding * rounding_ > 1e-3 * told && told > 0;
  }

 private:
  ManifoldProblem& problem_;
  Mat x_, u_;
  double value_, slope_, curvature_;
  double not_finite_at_ = 0, change_ = 0, rounding_ = 0;
};

// A part that should vanish, in units of the whole; where that vanishes too, as gradients do at an optimum, up to the
// rounding of a cost of this size.
double share(double part, double whole, double cost, double tolerance) {
  const double size = whole + rounding / tolerance * std::abs(cost);
  return size > 0 ? part / size : 0;
}

double part_outside(const Manifold& m, MatIn x, MatIn u) { return (m.project(x, u) - u).norm(); }

SlopeCheck verdict(const char* what, double slope, double expected, double defect, double tolerance,
                   const char* defect_name) {
  const bool ok = !(slope < expected - slope_tolerance) && defect <= tolerance;
  return {ok, slope, defect,
          fmt::format("the {} {}: slope {:.3g} (expected {}), {} {:.3g}", what, ok ? "is right" : "is wrong", slope,
                      expected, defect_name, defect)};
}

SlopeCheck not_finite_on_the_way(double h) {
  return {false, 0, 0, fmt::format("the cost is not finite at a distance of {:.2g} from this point", h)};
}

SlopeCheck drowned(const char* what) {
  const double unknown = std::numeric_limits<double>::quiet_NaN();
  return {false, unknown, 0,
          fmt::format("whether the {} is right cannot be told: the cost changes by less than its rounding near this "
                      "point; take a constant off it",
                      what)};
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
  if (std::isnan(slope) && error.is_drowned()) return drowned("gradient");
  const double outside = share(part_outside(m, x, gradient), gradient.norm(), value, vanishing);
  return verdict("gradient", slope, 2, outside, vanishing, "part that is not tangent");
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
  if (std::isnan(slope) && error.is_drowned()) return drowned("Hessian");
  constexpr double tolerance = vanishing_of_differences;
  const double difference = std::abs(m.inner(x, along_u, v) - m.inner(x, along_v, u));
  const double asymmetry = share(difference, m.norm(x, along_u) + m.norm(x, along_v), value, tolerance);
  const double outside = share(part_outside(m, x, along_u), along_u.norm(), value, tolerance);
  return verdict("Hessian", slope, 3, std::max(asymmetry, outside), tolerance, "asymmetry or part that is not tangent");
}

SlopeCheck check_retraction(const Manifold& m, MatIn x, const Rng& rng) {
  m.check(x);
  const Mat u = unit_tangent(m, x, rng, "direction");
  const double of_points = std::numeric_limits<double>::epsilon() * (1 + x.norm());
  const double slope = log_log_slope(1, [&](double h) -> ErrorAt {
    return {(m.retract(x, h * u) - m.exp(x, h * u)).norm(), of_points};
  });
  const double violation = m.fault(m.retract(x, u)).empty() ? 0 : 1;
  return verdict("retraction", slope, 2, violation, vanishing, "constraints violated");
}

}  // namespace quasar
