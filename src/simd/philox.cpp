#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "simd/philox.cpp"  // compiled once per instruction set
#include "simd/philox.hpp"

#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "simd/padding.hpp"

HWY_BEFORE_NAMESPACE();
namespace quasar::simd {
namespace HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

using Words = hn::CappedTag<std::uint64_t, vector_padding / 2>;
using WordVector = hn::Vec<Words>;

// Each counter word lives in the low half of a 64-bit lane. The high half may hold rubbish: the product ignores it.
struct State {
  WordVector c0, c1, c2, c3;
};

HWY_INLINE WordVector full_product_of_low_halves(WordVector a, WordVector b) {
#if HWY_TARGET == HWY_SCALAR
  const hn::Rebind<std::uint32_t, Words> halves;
  return hn::MulEven(hn::TruncateTo(halves, a), hn::TruncateTo(halves, b));
#else
  const hn::Repartition<std::uint32_t, Words> halves;
  return hn::MulEven(hn::BitCast(halves, a), hn::BitCast(halves, b));
#endif
}

// The keys of the rounds: (key + r (golden ratio, sqrt(3) - 1)) as 0.32-bit fractions, computed once per call.
struct KeySchedule {
  static constexpr int rounds = 10;
  std::uint64_t word0[rounds], word1[rounds];
  explicit KeySchedule(std::uint64_t key) {
    auto k0 = static_cast<std::uint32_t>(key), k1 = static_cast<std::uint32_t>(key >> 32);
    for (int round = 0; round < rounds; ++round) {
      word0[round] = k0;
      word1[round] = k1;
      k0 += 0x9E3779B9;
      k1 += 0xBB67AE85;
    }
  }
};

HWY_INLINE State philox_round(const State& s, std::uint64_t key0, std::uint64_t key1) {
  constexpr std::uint64_t multiplier0 = 0xD2511F53, multiplier1 = 0xCD9E8D57;
  const Words d;
  const auto product0 = full_product_of_low_halves(s.c0, hn::Set(d, multiplier0));
  const auto product1 = full_product_of_low_halves(s.c2, hn::Set(d, multiplier1));
  return {hn::Xor(hn::ShiftRight<32>(product1), hn::Xor(s.c1, hn::Set(d, key0))), product1,
          hn::Xor(hn::ShiftRight<32>(product0), hn::Xor(s.c3, hn::Set(d, key1))), product0};
}

HWY_INLINE WordVector join_low_halves(WordVector low, WordVector high) {
  return hn::Or(hn::And(low, hn::Set(Words(), 0xFFFFFFFFu)), hn::ShiftLeft<32>(high));
}

HWY_INLINE void store(const State& s, std::uint64_t* low, std::uint64_t* high) {
  hn::StoreU(join_low_halves(s.c0, s.c1), Words(), low);
  hn::StoreU(join_low_halves(s.c2, s.c3), Words(), high);
}

}  // namespace

// Two vectors advance side by side: a round waits for the one before it, so one vector alone leaves units idle.
void philox_blocks(const PhiloxCounter& first, std::size_t count, std::uint64_t* low, std::uint64_t* high) {
  const Words d;
  const std::size_t lanes = hn::Lanes(d);
  const KeySchedule keys(first.key);
  State counter{hn::Set(d, first.iteration), hn::Set(d, first.iteration >> 32), hn::Iota(d, first.element),
                hn::Set(d, first.retry)};
  for (std::size_t i = 0; i < count; i += 2 * lanes) {
    State even = counter;
    counter.c2 = hn::Add(counter.c2, hn::Set(d, lanes));
    State odd = counter;
    counter.c2 = hn::Add(counter.c2, hn::Set(d, lanes));
    for (int round = 0; round < KeySchedule::rounds; ++round) {
      even = philox_round(even, keys.word0[round], keys.word1[round]);
      odd = philox_round(odd, keys.word0[round], keys.word1[round]);
    }
    store(even, low + i, high + i);
    store(odd, low + i + lanes, high + i + lanes);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace quasar::simd
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace quasar::simd {

HWY_EXPORT(philox_blocks);

void philox_blocks(const PhiloxCounter& first, std::size_t count, std::uint64_t* low, std::uint64_t* high) {
  HWY_DYNAMIC_DISPATCH(philox_blocks)(first, count, low, high);
}

}  // namespace quasar::simd
#endif
