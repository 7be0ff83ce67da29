// U = -log pi and its gradient, turned once, here.
#pragma once

#include <cmath>
#include <limits>

#include <quasar/core.hpp>

namespace quasar {

inline bool inside(std::span<const Interval> support, In x) {
  for (std::size_t i = 0; i < support.size(); ++i) {
    const double xi = x[static_cast<Index>(i)];
    if (!(xi > support[i].lo && xi < support[i].hi)) return false;
  }
  return true;
}

// +infinity where the point has to be rejected: outside the support, refused by the target, NaN or infinite. A target
// is never asked about a point that is not finite: a trajectory that has run away is its own business. A gradient that
// is not finite at a finite U is caught one kick later: it makes the energy NaN.
inline double potential(Target& target, In x, Out gradient) {
  constexpr double rejected = std::numeric_limits<double>::infinity();
  if (!inside(target.support(), x)) return rejected;
  if (!x.allFinite()) return rejected;
  const Eval at = target.logp_grad(x, gradient);
  if (!at.ok || !std::isfinite(at.logp)) return rejected;
  gradient = -gradient;
  return -at.logp;
}

}  // namespace quasar
