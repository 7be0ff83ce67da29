// A log density that is NaN or infinite is a point to reject, not a value to compute with.
#pragma once

#include <cmath>

#include <quasar/core.hpp>

namespace quasar {

inline Eval checked(double logp) { return {logp, std::isfinite(logp)}; }

// Without logp only the gradient can tell whether the point was usable.
inline Eval checked_gradient(In grad) { return {std::numeric_limits<double>::quiet_NaN(), grad.allFinite()}; }

}  // namespace quasar
