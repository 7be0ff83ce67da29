// simd/column_products.hpp -- entries of a product of two matrices at random places, and slopes of the matrices.
#pragma once

#include <cstddef>

namespace quasar::simd {

struct ColumnPair {
  std::size_t a, b;  // where two columns begin, each in its own matrix
};

// out[i] = the product of the columns of pair i.
void column_products(const ColumnPair* pairs, std::size_t count, std::size_t rank, const double* a, const double* b,
                     double* out);

// Pair after pair, slopes of a += slope b and slopes of b += slope a. slopes_a may be null: a is given.
void add_column_slopes(const ColumnPair* pairs, std::size_t count, std::size_t rank, const double* slope,
                       const double* a, const double* b, double* slopes_a, double* slopes_b);

}  // namespace quasar::simd
