#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "simd/topic_choice.cpp"  // compiled once per instruction set
#include "simd/topic_choice.hpp"

// The order matters.
// clang-format off
#include <hwy/foreach_target.h>
#include <hwy/highway.h>
// clang-format on

HWY_BEFORE_NAMESPACE();
namespace quasar::simd {
namespace HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

const hn::CappedTag<float, topic_lanes> d;
constexpr std::size_t lanes = hn::MaxLanes(d), vectors = topic_lanes / lanes;

void lane_sums(const float* a, const float* b, std::size_t stride, float* sums) {
  hn::Vec<decltype(d)> sum[vectors];
  for (auto& one : sum) one = hn::Zero(d);
  for (std::size_t k = 0; k < stride; k += topic_lanes) {
    for (std::size_t i = 0; i < vectors; ++i) {
      const std::size_t at = k + i * lanes;
      sum[i] = hn::Add(sum[i], hn::Mul(hn::LoadU(d, a + at), hn::LoadU(d, b + at)));
    }
  }
  for (std::size_t i = 0; i < vectors; ++i) hn::StoreU(sum[i], d, sums + i * lanes);
}

std::size_t choose(const float* a, const float* b, std::size_t stride, float u) {
  float sum[topic_lanes], group[4];
  lane_sums(a, b, stride, sum);
  for (std::size_t g = 0; g < 4; ++g) group[g] = (sum[4 * g] + sum[4 * g + 1]) + (sum[4 * g + 2] + sum[4 * g + 3]);
  const float total = (group[0] + group[1]) + (group[2] + group[3]);
  if (!(total > 0)) return stride;
  float rest = u * total;
  std::size_t g = 0;
  while (g < 3 && rest >= group[g]) rest -= group[g++];
  std::size_t lane = 4 * g;
  while (lane < 4 * g + 3 && rest >= sum[lane]) rest -= sum[lane++];
  // Rounding may lead past the last topic, or to one that cannot be: then the last that can.
  std::size_t last = stride;
  for (std::size_t k = lane; k < stride; k += topic_lanes) {
    const float product = a[k] * b[k];
    if (product > 0) {
      if (rest < product) return k;
      last = k;
    }
    rest -= product;
  }
  if (last < stride) return last;
  for (std::size_t k = stride; k-- > 0;) {
    if (a[k] * b[k] > 0) return k;
  }
  return stride;
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace quasar::simd
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace quasar::simd {

HWY_EXPORT(choose);

std::size_t choose_topic(const float* a, const float* b, std::size_t stride, float u) {
  return HWY_DYNAMIC_DISPATCH(choose)(a, b, stride, u);
}

}  // namespace quasar::simd
#endif
