#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include <quasar/check_gradient.hpp>
#include <quasar/errors.hpp>
#include <quasar/transforms.hpp>

#include "core/log_log_slope.hpp"

namespace quasar {

namespace {

constexpr double epsilon = std::numeric_limits<double>::epsilon();
constexpr double unknown = std::numeric_limits<double>::quiet_NaN();
constexpr double tolerance = 1e-6;      // of a partial derivative; the extrapolated differences are far better
constexpr double smallest_slope = 1.9;  // right gradients give 2, or 3 where the curvature along u happens to vanish

// The log density along a line through x; NaN where the target refuses the point.
class Line {
 public:
  Line(Target& target, In x) : target_(target), x_(x), moved_(x), gradient_(x.size()) {}

  double operator()(In direction, double h) {
    moved_ = x_ + h * direction;
    return value();
  }
  double along(Index coordinate, double h) {
    moved_ = x_;
    moved_[coordinate] += h;
    return value();
  }

 private:
  double value() {
    const Eval eval = target_.logp_grad(moved_, gradient_);
    return eval.ok ? eval.logp : unknown;
  }
  Target& target_;
  Vec x_, moved_, gradient_;
};

double error_slope(Line& f, double f0, In grad, In x, In direction) {
  const double directional = grad.dot(direction);
  const double position_rounding = grad.cwiseAbs().dot(x.cwiseAbs());
  return log_log_slope(std::max(1.0, x.norm()), [&](double h) -> ErrorAt {
    const double fh = f(direction, h);
    return {std::fabs(fh - f0 - h * directional),
            epsilon * (std::fabs(fh) + std::fabs(f0) + h * std::fabs(directional) + position_rounding)};
  });
}

struct Derivative {
  double value, rounding;  // rounding: an upper bound of its error from the finite precision of f
};

// (4 D(h) - D(2h)) / 3 with central differences D has an error of order h^4. The step shrinks while a difference leaves
// the support, or while D(h), of order h^2, is so far off that the extrapolation cannot be trusted.
Derivative partial_derivative(Line& f, Index i, double x) {
  constexpr double trusted = 1e-4;
  Derivative result{unknown, 0};
  double h = 1e-3 * std::max(1.0, std::fabs(x));
  for (int attempt = 0; attempt < 5; ++attempt, h /= 10) {
    const double near = (f.along(i, h) - f.along(i, -h)) / (2 * h);
    const double right = f.along(i, 2 * h), left = f.along(i, -2 * h);
    const double value = (4 * near - (right - left) / (4 * h)) / 3;
    if (!std::isfinite(value)) continue;
    result = {value, 100 * epsilon * (std::fabs(right) + std::fabs(left)) / h};
    if (std::fabs(value - near) <= trusted * std::fabs(value) + result.rounding) break;
  }
  return result;
}

double relative_error(double gradient, const Derivative& difference) {
  const double scale = std::max({std::fabs(gradient), std::fabs(difference.value), difference.rounding / tolerance,
                                 std::numeric_limits<double>::min()});
  const double error = std::fabs(gradient - difference.value) / scale;
  return std::isnan(error) ? std::numeric_limits<double>::infinity() : error;
}

std::string describe(const GradientCheck& check, double gradient, double difference) {
  return fmt::format(
      "the gradient {} with the log density: largest relative error {:.3g} at coordinate {} "
      "(gradient {}, differences {}), slope {:.3g} (expected 2)",
      check.ok ? "agrees" : "does not agree", check.max_relative_error, check.worst_coordinate + 1, gradient,
      difference, check.slope);
}

Vec random_direction(Index dim, const Rng& rng) {
  Vec direction(dim);
  rng.stream("direction").normals(direction);
  return direction.normalized();
}

// uniform(-2, 2), mapped into the support where there is one.
Vec random_point(const Target& target, const Rng& rng) {
  Vec x(target.dim());
  rng.stream("point").uniforms(x);
  x = 4 * x.array() - 2;
  transform::into_support(target.support(), x);
  return x;
}

}  // namespace

GradientCheck check_gradient(Target& target, In x, const Rng& rng) {
  if (x.size() != target.dim()) throw UsageError("check_gradient: the point does not have the target's dimension");
  GradientCheck check;
  check.point = x;
  Vec grad = Vec::Constant(x.size(), unknown);  // a target must overwrite it
  const Eval eval = target.logp_grad(x, grad);
  if (!eval.ok || !std::isfinite(eval.logp)) {
    check.message = "the log density is not finite at this point";
    return check;
  }

  Line f(target, x);
  check.slope = error_slope(f, eval.logp, grad, x, random_direction(x.size(), rng));
  double worst_difference = 0;
  check.max_relative_error = -1;
  for (Index i = 0; i < x.size(); ++i) {
    const Derivative difference = partial_derivative(f, i, x[i]);
    const double error = relative_error(grad[i], difference);
    if (error > check.max_relative_error) {
      check.max_relative_error = error;
      check.worst_coordinate = i;
      worst_difference = difference.value;
    }
  }
  check.ok = check.max_relative_error < tolerance && !(check.slope < smallest_slope);
  check.message = describe(check, grad[check.worst_coordinate], worst_difference);
  return check;
}

GradientCheck check_gradient_at_random(Target& target, const Rng& rng, int points) {
  GradientCheck worst;
  worst.max_relative_error = -1;
  for (int k = 0; k < points; ++k) {
    const Rng name = rng.child("check", static_cast<std::uint64_t>(k));
    GradientCheck check = check_gradient(target, random_point(target, name), name);
    if (!check.ok) return check;
    if (check.max_relative_error > worst.max_relative_error) worst = std::move(check);
  }
  return worst;
}

}  // namespace quasar
