// simd/outer_products.hpp -- sums of c c' over short columns c, which matrix libraries made for long ones do slowly.
#pragma once

#include <cstddef>

namespace quasar::simd {

inline constexpr std::size_t column_padding = 8;  // numbers: what the length of columns is a multiple of

// sum += sum over columns of c c', the lower triangle; what is above the diagonal is left undefined. `length` numbers a
// column, in `columns` and in `sum`.
void add_outer_products(const double* columns, std::size_t length, std::size_t count, double* sum);

}  // namespace quasar::simd
