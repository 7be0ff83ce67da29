#include "kernels/stochastic.hpp"

#include <fmt/core.h>

#include <quasar/errors.hpp>

namespace quasar {

void throw_diverged(double step_size, double gradient_norm) {
  throw Diverged(fmt::format(
      "the chain has diverged: step size {:.3g}, gradient norm {:.3g}. Try a step_size ten times smaller, a larger "
      "batch_size, or estimator=control_variates where the posterior has one mode",
      step_size, gradient_norm));
}

namespace {

struct Reflected {
  double x;
  bool turned;  // an odd number of reflections
};

// A billiard in [lo, hi]: positions repeat with period 2 (hi - lo), the way back being the second half.
Reflected reflected(double x, const Interval& in) {
  if (x >= in.lo && x <= in.hi) return {x, false};
  if (!std::isfinite(in.hi)) return {in.lo + (in.lo - x), true};
  if (!std::isfinite(in.lo)) return {in.hi - (x - in.hi), true};
  const double along = std::remainder(x - in.lo, 2 * (in.hi - in.lo));
  return {in.lo + std::abs(along), along < 0};
}

}  // namespace

void mirror_into(std::span<const Interval> support, Block block, Vec& x, Vec* momentum) {
  if (support.empty()) return;
  for (Index i = 0; i < block.size; ++i) {
    const Reflected at = reflected(x[block.begin + i], support[static_cast<std::size_t>(block.begin + i)]);
    x[block.begin + i] = at.x;
    if (at.turned && momentum != nullptr) (*momentum)[i] = -(*momentum)[i];
  }
}

}  // namespace quasar
