// simd/row_pairs.hpp -- products of pairs of rows, and their slopes.
#pragma once

#include <cstddef>

namespace quasar::simd {

struct RowPair {
  std::size_t a, b;  // where two rows begin, in x and in the slopes
  double value;
};

struct RowShape {
  std::size_t rank;
  bool biases;  // one number more, behind the others
};

// With e = value - a'b - the biases of a and b: slopes of a += weight e b, of b += weight e a, of both biases += weight
// e, pair after pair. Returns the sum of e^2.
double add_pair_slopes(const RowPair* pairs, std::size_t count, const RowShape& shape, const double* x, double weight,
                       double* slopes);

}  // namespace quasar::simd
