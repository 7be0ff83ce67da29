// simd/topic_choice.hpp -- one of many topics, with probabilities proportional to a product.
#pragma once

#include <cstddef>

namespace quasar::simd {

inline constexpr std::size_t topic_lanes = 16;

constexpr std::size_t topic_stride(std::size_t topics) {
  return (topics + topic_lanes - 1) / topic_lanes * topic_lanes;
}

// The topic k with probability a_k b_k / sum, found by u in [0, 1). Both arrays have `stride` elements, a multiple of
// topic_lanes, none of them negative. `stride` itself: all products are zero.
//
// Topics k, k + 16, k + 32, ... make a lane. The sums of the 16 lanes need no sum across a vector; u finds the lane,
// then the topic in it. Every instruction set adds in the same order.
std::size_t choose_topic(const float* a, const float* b, std::size_t stride, float u);

}  // namespace quasar::simd
