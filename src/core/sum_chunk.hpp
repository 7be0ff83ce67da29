// How many terms of a sum over data are taken at once. Part of the definition of the sum: its order, and so its
// rounding, never depends on who adds it.
#pragma once

#include <quasar/core.hpp>

namespace quasar {

inline constexpr Index sum_chunk = 4096;

}  // namespace quasar
