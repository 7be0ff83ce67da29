// simd/padding.hpp -- room at the end of arrays, so that kernels work on whole vectors only.
#pragma once

#include <cstddef>

namespace quasar::simd {

// A kernel may read and write past the count it was given: every array has room for padded(count) elements.
// 16 is two vectors of doubles of the widest instruction set.
inline constexpr std::size_t vector_padding = 16;

constexpr std::size_t padded(std::size_t count) {
  return (count + vector_padding - 1) / vector_padding * vector_padding;
}

}  // namespace quasar::simd
