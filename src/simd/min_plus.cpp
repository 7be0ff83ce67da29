#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "simd/min_plus.cpp"  // compiled once per instruction set
#include "simd/min_plus.hpp"

#include <algorithm>
#include <limits>
#include <utility>

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

const hn::CappedTag<double, min_plus_padding> d;
using Numbers = hn::Vec<decltype(d)>;

template <std::size_t groups>
struct Cheapest {
  Numbers cost[groups], who[groups];

  // Predecessors are numbers too: one comparison chooses both the cost and who has it. Ties stay with what was there.
  HWY_INLINE void take(std::size_t g, Numbers other, Numbers name) {
    const auto better = hn::Lt(other, cost[g]);
    cost[g] = hn::Min(other, cost[g]);
    who[g] = hn::IfThenElse(better, name, who[g]);
  }
};

HWY_INLINE void store_bytes(Numbers numbers, std::size_t count, std::uint8_t* to) {
  const hn::Rebind<std::int32_t, decltype(d)> words;
  const hn::Rebind<std::uint8_t, decltype(d)> bytes;
  const auto small = hn::DemoteTo(bytes, hn::DemoteTo(words, numbers));
  if (count >= hn::Lanes(d)) {
    hn::StoreU(small, bytes, to);
  } else {
    std::uint8_t all[min_plus_padding];
    hn::StoreU(small, bytes, all);
    for (std::size_t i = 0; i < count; ++i) to[i] = all[i];
  }
}

struct Costs {
  std::size_t states, stride;
  const double* before;
  const double* transition;
  const double* entry;
};

// Minima stay in registers while the predecessors pass by, and each waits for the one before: in two halves they wait
// half as long.
template <std::size_t groups>
HWY_INLINE void enter(const Costs& s, std::size_t k, double* after, std::uint8_t* from) {
  const std::size_t lanes = hn::Lanes(d), half = (s.states + 1) / 2;
  Cheapest<groups> lower, upper;
  for (std::size_t g = 0; g < groups; ++g) {
    lower.cost[g] = upper.cost[g] = hn::Set(d, std::numeric_limits<double>::infinity());
    lower.who[g] = upper.who[g] = hn::Zero(d);
  }
  const auto pass = [&](Cheapest<groups>& part, std::size_t j) HWY_ATTR {
    const auto before = hn::Set(d, s.before[j]), name = hn::Set(d, static_cast<double>(j));
    for (std::size_t g = 0; g < groups; ++g) {
      part.take(g, hn::Add(before, hn::LoadU(d, s.transition + j * s.stride + k + g * lanes)), name);
    }
  };
  for (std::size_t j = 0; j < s.states / 2; ++j) {
    pass(lower, j);
    pass(upper, half + j);
  }
  if (s.states % 2 == 1) pass(lower, half - 1);
  for (std::size_t g = 0; g < groups; ++g, k += lanes) {
    lower.take(g, upper.cost[g], upper.who[g]);
    hn::StoreU(hn::Add(lower.cost[g], hn::LoadU(d, s.entry + k)), d, after + k);
    if (k < s.states) store_bytes(lower.who[g], s.states - k, from + k);
  }
}

void steps_of(const MinPlusSteps& s, double* cost, std::uint8_t* from) {
  const std::size_t lanes = hn::Lanes(d), stride = min_plus_stride(s.states);
  double other[256];
  double* before = cost;
  double* after = other;
  for (std::size_t t = 0; t < s.count; ++t, from += s.states) {
    const Costs costs{s.states, stride, before, s.transition, s.entry + t * stride};
    std::size_t k = 0;
    for (; k + 4 * lanes <= stride; k += 4 * lanes) enter<4>(costs, k, after, from);
    for (; k + 3 * lanes <= stride; k += 3 * lanes) enter<3>(costs, k, after, from);
    for (; k + 2 * lanes <= stride; k += 2 * lanes) enter<2>(costs, k, after, from);
    for (; k < stride; k += lanes) enter<1>(costs, k, after, from);
    std::swap(before, after);
  }
  if (before != cost) std::copy_n(before, stride, cost);
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace quasar::simd
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace quasar::simd {

HWY_EXPORT(steps_of);

void min_plus(const MinPlusSteps& steps, double* cost, std::uint8_t* from) {
  HWY_DYNAMIC_DISPATCH(steps_of)(steps, cost, from);
}

}  // namespace quasar::simd
#endif
