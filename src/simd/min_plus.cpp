#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "simd/min_plus.cpp"  // compiled once per instruction set
#include "simd/min_plus.hpp"

#include <limits>

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

// Minima stay in registers while the predecessors pass by, and each waits for the one before: in two halves they wait
// half as long.
template <std::size_t groups>
HWY_INLINE void one_group(const double* cost, std::size_t states, std::size_t stride, const double* transition,
                          const double* entry, double* next, double* from) {
  const std::size_t lanes = hn::Lanes(d), half = (states + 1) / 2;
  Cheapest<groups> lower, upper;
  for (std::size_t g = 0; g < groups; ++g) {
    lower.cost[g] = upper.cost[g] = hn::Set(d, std::numeric_limits<double>::infinity());
    lower.who[g] = upper.who[g] = hn::Zero(d);
  }
  const auto pass = [&](Cheapest<groups>& part, std::size_t j) HWY_ATTR {
    const auto before = hn::Set(d, cost[j]), name = hn::Set(d, static_cast<double>(j));
    for (std::size_t g = 0; g < groups; ++g) {
      part.take(g, hn::Add(before, hn::LoadU(d, transition + j * stride + g * lanes)), name);
    }
  };
  for (std::size_t j = 0; j < states / 2; ++j) {
    pass(lower, j);
    pass(upper, half + j);
  }
  if (states % 2 == 1) pass(lower, half - 1);
  for (std::size_t g = 0; g < groups; ++g) {
    lower.take(g, upper.cost[g], upper.who[g]);
    hn::StoreU(hn::Add(lower.cost[g], hn::LoadU(d, entry + g * lanes)), d, next + g * lanes);
    hn::StoreU(lower.who[g], d, from + g * lanes);
  }
}

void steps_of(const MinPlusSteps& s, double* cost, std::uint8_t* from) {
  const std::size_t lanes = hn::Lanes(d), stride = min_plus_stride(s.states);
  double next[256], who[256];
  for (std::size_t t = 0; t < s.count; ++t) {
    const double* entry = s.entry + t * stride;
    std::size_t k = 0;
    for (; k + 4 * lanes <= stride; k += 4 * lanes) {
      one_group<4>(cost, s.states, stride, s.transition + k, entry + k, next + k, who + k);
    }
    for (; k + 3 * lanes <= stride; k += 3 * lanes) {
      one_group<3>(cost, s.states, stride, s.transition + k, entry + k, next + k, who + k);
    }
    for (; k < stride; k += lanes) one_group<1>(cost, s.states, stride, s.transition + k, entry + k, next + k, who + k);
    for (k = 0; k < stride; ++k) cost[k] = next[k];
    for (k = 0; k < s.states; ++k) from[t * s.states + k] = static_cast<std::uint8_t>(who[k]);
  }
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
