// simd/block_slopes.hpp -- products of rows, a run of them for each row of one side, and their slopes.
#pragma once

#include <cstddef>
#include <cstdint>

namespace quasar::simd {

struct PairsOfRows {
  const std::uint32_t* begin;  // of the pairs of each row of w, and the end of the last
  std::size_t rows;
  const std::uint32_t* other;  // of each pair, the row of h
  const double* value;
};

// With e = value - w'h: gw += weight e h, gh += weight e w, pair after pair. Rows have `rank` numbers, one row after
// another. Returns the sum of e^2. The same bits on every processor.
double add_block_slopes(const PairsOfRows& pairs, std::size_t rank, const double* w, const double* h, double weight,
                        double* gw, double* gh);

}  // namespace quasar::simd
