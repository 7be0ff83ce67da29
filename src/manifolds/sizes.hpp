// What every manifold asks of its sizes and its random numbers.
#pragma once

#include <string_view>

#include <quasar/manifold.hpp>

namespace quasar {

// Longer vectors only: the direction u / |u| of a shorter one is rounding.
inline constexpr double shortest_vector = 1e-300;

void require_size(bool makes_sense, std::string_view what);  // UsageError

void fill_with_normals(Stream& stream, MatOut out);  // column by column

}  // namespace quasar
