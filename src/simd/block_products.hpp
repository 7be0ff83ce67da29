// simd/block_products.hpp -- B (B'X) for a block of terms B and a few columns X: matrices too narrow for BLAS, which
// rearranges what it reads before it multiplies.
#pragma once

#include <cstddef>

namespace quasar::simd {

struct BlockOfTerms {
  const double* terms;  // dim numbers for each
  std::size_t dim, count;
};
struct NarrowMatrix {
  const double* values;  // column by column
  std::size_t columns, stride;
};

// out += B (B'X), dim numbers for each column. scores: scratch for `columns` numbers of each term.
void add_block_product(const BlockOfTerms& block, const NarrowMatrix& x, double* scores, double* out);

}  // namespace quasar::simd
