// core/philox.hpp -- what the words of a Philox counter mean, and the numbers of a single element.
#pragma once

#include <Random123/philox.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <stdexcept>

#include "simd/box_muller.hpp"
#include "simd/padding.hpp"
#include "simd/philox.hpp"

namespace quasar {

// The top four bits of the last counter word say what a block is for, so that no two uses of a key share a block.
enum class Domain : std::uint32_t { scalars = 0, normals = 1, keys = 15 };

constexpr std::uint32_t tagged(Domain domain, std::uint32_t retry) {
  return retry ^ (static_cast<std::uint32_t>(domain) << 28);
}

// A run of draws must fit the 32-bit element word: wrapping round would repeat numbers in silence.
inline std::uint32_t first_element_word(std::uint64_t first, std::uint64_t count) {
  constexpr std::uint64_t limit = std::uint64_t{1} << 32;
  if (count > limit || first > limit - count)
    throw std::length_error("quasar::Stream: one name holds 2^32 elements (2^33 normals) per iteration");
  return static_cast<std::uint32_t>(first);
}

struct PhiloxBlock {
  std::uint64_t low, high;
};

inline PhiloxBlock philox_block(const simd::PhiloxCounter& c) {
  const auto half = [](std::uint64_t word, int shift) { return static_cast<std::uint32_t>(word >> shift); };
  const r123::Philox4x32::ctr_type counter = {{half(c.iteration, 0), half(c.iteration, 32), c.element, c.retry}};
  const r123::Philox4x32::key_type key = {{half(c.key, 0), half(c.key, 32)}};
  const auto out = r123::Philox4x32()(counter, key);
  const auto join = [](std::uint32_t low, std::uint32_t high) { return low | std::uint64_t{high} << 32; };
  return {join(out[0], out[1]), join(out[2], out[3])};
}

// (x + 1/2) 2^-52 with x the low 52 bits: inside (0, 1), symmetric about 1/2, exact.
inline double open_uniform(std::uint64_t word) {
  constexpr std::uint64_t mantissa_mask = 0x000FFFFFFFFFFFFF, one_bits = 0x3FF0000000000000;
  return std::bit_cast<double>((word & mantissa_mask) | one_bits) - (1.0 - 0x1p-53);
}

// The numbers of one element, as many as a rejection sampler asks for: blocks with retry = 0, 1, 2, ...
class ElementDraws {
 public:
  ElementDraws(std::uint64_t key, std::uint64_t iteration, std::uint64_t element)
      : counter_{key, iteration, first_element_word(element, 1), tagged(Domain::scalars, 0)} {}

  std::uint64_t word() {
    if (!high_is_unused_) block_ = next_block();
    high_is_unused_ = !high_is_unused_;
    return high_is_unused_ ? block_.low : block_.high;
  }
  double uniform() { return open_uniform(word()); }
  double normal() {
    constexpr std::size_t room = simd::padded(1);
    const PhiloxBlock block = next_block();
    const std::array<std::uint64_t, room> radius = {block.low}, angle = {block.high};
    std::array<double, 2 * room> out;
    simd::box_muller(radius.data(), angle.data(), 1, out.data());
    return out[0];
  }

 private:
  PhiloxBlock next_block() {
    const PhiloxBlock block = philox_block(counter_);
    ++counter_.retry;
    return block;
  }
  simd::PhiloxCounter counter_;
  PhiloxBlock block_{};
  bool high_is_unused_ = false;
};

// use(i, word) for i = 0 .. count-1, where word is the first that ElementDraws gives for element first + i.
template <class Use>
void for_each_first_word(std::uint64_t key, std::uint64_t iteration, std::uint64_t first, std::size_t count, Use use) {
  constexpr std::size_t chunk = simd::padded(256);
  std::array<std::uint64_t, chunk> low, high;
  simd::PhiloxCounter counter{key, iteration, first_element_word(first, count), tagged(Domain::scalars, 0)};
  for (std::size_t done = 0; done < count; done += chunk) {
    const std::size_t n = std::min(chunk, count - done);
    simd::philox_blocks(counter, n, low.data(), high.data());
    for (std::size_t i = 0; i < n; ++i) use(done + i, low[i]);
    counter.element += static_cast<std::uint32_t>(n);
  }
}

}  // namespace quasar
