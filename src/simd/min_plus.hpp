// simd/min_plus.hpp -- the forward pass of Viterbi's algorithm: products of a vector and matrices, where sums are
// minima and products are sums.
#pragma once

#include <cstddef>
#include <cstdint>

namespace quasar::simd {

inline constexpr std::size_t min_plus_padding = 4;  // rows of numbers begin at multiples of it

constexpr std::size_t min_plus_stride(std::size_t states) {
  return (states + min_plus_padding - 1) / min_plus_padding * min_plus_padding;
}

// All rows have min_plus_stride(states) numbers; what stands behind the last state is read, written and of no matter,
// as long as it is not NaN.
struct MinPlusSteps {
  std::size_t count, states;  // at most 256 states
  const double* entry;        // count rows: the cost to be in state k at each step
  const double* transition;   // a row of costs for every state that is left, to every state that is entered
};

// For each step: cost_k <- entry_k + min_j (cost_j + transition_jk), and the smallest j that attains it in `from`.
void min_plus(const MinPlusSteps& steps, double* cost, std::uint8_t* from);

}  // namespace quasar::simd
