// Numbers on a half line and in an interval.
#include <fmt/core.h>

#include <cmath>

#include <quasar/errors.hpp>
#include <quasar/transforms.hpp>

#include "transforms/scalar_functions.hpp"

namespace quasar::transform {

namespace {

[[noreturn]] void outside(double value, const char* relation, double bound) {
  throw UsageError(fmt::format("the value {} must be {} {}", value, relation, bound));
}

}  // namespace

double HalfLine::forward(In x, Out y) const {
  y = bound_ + side_ * x.array().exp();
  return x.sum();
}

void HalfLine::inverse(In y, Out x) const {
  for (Index i = 0; i < n_; ++i) {
    const double distance = side_ * (y[i] - bound_);
    if (!(distance > 0)) outside(y[i], side_ > 0 ? "greater than" : "less than", bound_);
    x[i] = std::log(distance);
  }
}

void HalfLine::pull_back(In x, In, In grad_y, Out grad_x) const {
  grad_x.array() += side_ * x.array().exp() * grad_y.array() + 1;
}

Bounded::Bounded(double lo, double hi, Index n) : lo_(lo), hi_(hi), n_(n) {
  if (!(lo < hi)) outside(lo, "less than the upper bound", hi);
}

// The distance to the nearer bound is what sigmoid gives to full relative precision.
double Bounded::forward(In x, Out y) const {
  const double width = hi_ - lo_;
  double log_jacobian = static_cast<double>(n_) * std::log(width);
  for (Index i = 0; i < n_; ++i) {
    y[i] = x[i] < 0 ? lo_ + width * sigmoid(x[i]) : hi_ - width * sigmoid(-x[i]);
    log_jacobian += log_sigmoid(x[i]) + log_sigmoid(-x[i]);
  }
  return log_jacobian;
}

void Bounded::inverse(In y, Out x) const {
  for (Index i = 0; i < n_; ++i) {
    if (!(y[i] > lo_)) outside(y[i], "greater than", lo_);
    if (!(y[i] < hi_)) outside(y[i], "less than", hi_);
    x[i] = std::log(y[i] - lo_) - std::log(hi_ - y[i]);
  }
}

// dy/dx = (hi - lo) s (1 - s) with s = sigmoid(x), and the logarithm of that has derivative 1 - 2 s.
void Bounded::pull_back(In x, In, In grad_y, Out grad_x) const {
  for (Index i = 0; i < n_; ++i) {
    const double s = sigmoid(x[i]), rest = sigmoid(-x[i]);
    grad_x[i] += (hi_ - lo_) * s * rest * grad_y[i] + rest - s;
  }
}

void into_support(std::span<const Interval> support, Out x) {
  for (std::size_t i = 0; i < support.size(); ++i) {
    const auto [lo, hi] = support[i];
    auto coordinate = x.segment(static_cast<Index>(i), 1);
    const Vec free = coordinate;
    if (std::isfinite(lo) && std::isfinite(hi)) {
      Bounded(lo, hi).forward(free, coordinate);
    } else if (std::isfinite(lo)) {
      HalfLine::above(lo).forward(free, coordinate);
    } else if (std::isfinite(hi)) {
      HalfLine::below(hi).forward(free, coordinate);
    }
  }
}

}  // namespace quasar::transform
