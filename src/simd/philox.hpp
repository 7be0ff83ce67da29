// simd/philox.hpp -- many Philox4x32-10 blocks at once (Salmon et al., SC 2011).
#pragma once

#include <cstddef>
#include <cstdint>

namespace quasar::simd {

// The name of one 128-bit block: counter words (iteration: low, high; element; retry) under a 64-bit key.
struct PhiloxCounter {
  std::uint64_t key;
  std::uint64_t iteration;
  std::uint32_t element;
  std::uint32_t retry;
};

// Blocks first.element, first.element + 1, ...: low[i] holds words 0 and 1 of the i-th of them, high[i] words 2 and 3,
// the earlier word in the lower half. Both arrays are padded (simd/padding.hpp).
void philox_blocks(const PhiloxCounter& first, std::size_t count, std::uint64_t* low, std::uint64_t* high);

}  // namespace quasar::simd
