// The place of an entry in a vector of the standard library.
#pragma once

#include <cstddef>

#include <quasar/core.hpp>

namespace quasar {

inline std::size_t at(Index i) { return static_cast<std::size_t>(i); }

}  // namespace quasar
