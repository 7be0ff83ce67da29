#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "simd/min_plus.cpp"  // compiled once per instruction set
#include "simd/min_plus.hpp"

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

// Predecessors are numbers too: one comparison then chooses both the cost and who has it. Four groups of states at a
// time keep their minima in registers while the predecessors pass by.
template <std::size_t groups>
HWY_INLINE void one_group(const double* cost, std::size_t states, std::size_t stride, const double* transition,
                          const double* entry, double* next, double* from) {
  const std::size_t lanes = hn::Lanes(d);
  Numbers least[groups], who[groups];
  const auto first = hn::Set(d, cost[0]);
  for (std::size_t g = 0; g < groups; ++g) {
    least[g] = hn::Add(first, hn::LoadU(d, transition + g * lanes));
    who[g] = hn::Zero(d);
  }
  for (std::size_t j = 1; j < states; ++j) {
    const auto before = hn::Set(d, cost[j]);
    const auto name = hn::Set(d, static_cast<double>(j));
    const double* row = transition + j * stride;
    for (std::size_t g = 0; g < groups; ++g) {
      const auto through = hn::Add(before, hn::LoadU(d, row + g * lanes));
      const auto better = hn::Lt(through, least[g]);
      least[g] = hn::IfThenElse(better, through, least[g]);
      who[g] = hn::IfThenElse(better, name, who[g]);
    }
  }
  for (std::size_t g = 0; g < groups; ++g) {
    hn::StoreU(hn::Add(least[g], hn::LoadU(d, entry + g * lanes)), d, next + g * lanes);
    hn::StoreU(who[g], d, from + g * lanes);
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
