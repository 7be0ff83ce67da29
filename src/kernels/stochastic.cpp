#include "kernels/stochastic.hpp"

#include <fmt/core.h>

#include <quasar/errors.hpp>

namespace quasar {

void throw_diverged(double step_size, double gradient_norm) {
  throw Diverged(fmt::format(
      "the chain has diverged: step size {:.3g}, gradient norm {:.3g}. Try a step_size ten times smaller, a larger "
      "batch_size, or estimator=control_variates",
      step_size, gradient_norm));
}

namespace {

// A billiard in [lo, hi]: positions repeat with period 2 (hi - lo), the way back being the second half.
double mirrored(double x, const Interval& in) {
  if (x >= in.lo && x <= in.hi) return x;
  if (!std::isfinite(in.hi)) return in.lo + std::abs(x - in.lo);
  if (!std::isfinite(in.lo)) return in.hi - std::abs(x - in.hi);
  const double width = in.hi - in.lo;
  const double along = std::abs(std::remainder(x - in.lo, 2 * width));
  return in.lo + along;
}

}  // namespace

void mirror_into(std::span<const Interval> support, Block block, Vec& x) {
  if (support.empty()) return;
  for (Index i = block.begin; i < block.begin + block.size; ++i) {
    x[i] = mirrored(x[i], support[static_cast<std::size_t>(i)]);
  }
}

}  // namespace quasar
