#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "simd/block_slopes.cpp"  // compiled once per instruction set
#include "simd/block_slopes.hpp"

#include <algorithm>

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

// Four numbers, in as many vectors as it takes. Products are rounded before they are added, with or without an
// instruction that would do both at once: bits do not depend on the processor.
using Lanes = hn::CappedTag<double, 4>;
constexpr Lanes d;
using Vector = hn::Vec<Lanes>;
constexpr std::size_t lanes = hn::MaxLanes(Lanes()), parts = 4 / lanes;

struct Four {
  Vector part[parts];
};

HWY_INLINE Four zeros() {
  Four result;
  for (Vector& part : result.part) part = hn::Zero(d);
  return result;
}
HWY_INLINE Four all(double value) {
  Four result;
  for (Vector& part : result.part) part = hn::Set(d, value);
  return result;
}
HWY_INLINE Four load(const double* from) {
  Four result;
  for (std::size_t p = 0; p < parts; ++p) result.part[p] = hn::LoadU(d, from + p * lanes);
  return result;
}
HWY_INLINE void store(const Four& four, double* to) {
  for (std::size_t p = 0; p < parts; ++p) hn::StoreU(four.part[p], d, to + p * lanes);
}
HWY_INLINE Four plus_product(const Four& sum, const Four& a, const Four& b) {
  Four result;
  for (std::size_t p = 0; p < parts; ++p) result.part[p] = hn::Add(sum.part[p], hn::Mul(a.part[p], b.part[p]));
  return result;
}
HWY_INLINE double sum_of(const Four& four) {  // (0 + 2) + (1 + 3)
#if HWY_TARGET == HWY_SCALAR
  return hn::GetLane(hn::Add(hn::Add(four.part[0], four.part[2]), hn::Add(four.part[1], four.part[3])));
#else
  if constexpr (parts == 1) {
    const hn::Half<Lanes> half;
    return hn::GetLane(
        hn::SumOfLanes(half, hn::Add(hn::LowerHalf(half, four.part[0]), hn::UpperHalf(half, four.part[0]))));
  } else {
    return hn::GetLane(hn::SumOfLanes(d, hn::Add(four.part[0], four.part[1])));
  }
#endif
}

// Rows of items are anywhere in the block: those of pairs to come are asked for in time.
constexpr std::size_t ahead = 8;
HWY_INLINE void fetch(const double* row, std::size_t size) {
  constexpr std::size_t line = 8;  // doubles in a line of the cache
  for (std::size_t k = 0; k < size; k += line) __builtin_prefetch(row + k);
}

struct Work {
  const PairsOfRows& pairs;
  std::size_t rank;
  const double *w, *h;
  double weight;
  double *gw, *gh;

  HWY_INLINE void fetch_after(std::size_t pair, std::size_t size) const {
    const std::size_t row = pairs.other[std::min<std::size_t>(pair + ahead, pairs.begin[pairs.rows] - 1)];
    fetch(h + row * rank, size), fetch(gh + row * rank, size);
  }
};

// `fours` whole vectors of a row and a tail of fewer than four numbers. The row of w and its slopes stay in registers
// while its pairs are gone through.
template <int fours, int tail>
double short_rows(const Work& work) {
  constexpr std::size_t whole = 4 * fours, rank = whole + tail;
  double squares = 0;
  for (std::size_t i = 0; i < work.pairs.rows; ++i) {
    const double* w = work.w + i * rank;
    double* gw = work.gw + i * rank;
    Four at[fours + 1], slopes[fours + 1];
    double tail_at[tail + 1], tail_slopes[tail + 1];
    for (int f = 0; f < fours; ++f) at[f] = load(w + 4 * f), slopes[f] = load(gw + 4 * f);
    for (int k = 0; k < tail; ++k) tail_at[k] = w[whole + k], tail_slopes[k] = gw[whole + k];
    for (std::size_t pair = work.pairs.begin[i]; pair < work.pairs.begin[i + 1]; ++pair) {
      work.fetch_after(pair, rank);
      const double* h = work.h + work.pairs.other[pair] * rank;
      double* gh = work.gh + work.pairs.other[pair] * rank;
      double product = 0;
      if constexpr (fours > 0) {
        Four sums = zeros();
        for (int f = 0; f < fours; ++f) sums = plus_product(sums, at[f], load(h + 4 * f));
        product = sum_of(sums);
      }
      for (int k = 0; k < tail; ++k) product += tail_at[k] * h[whole + k];
      const double error = work.pairs.value[pair] - product, slope = work.weight * error;
      squares += error * error;
      const Four factor = all(slope);
      for (int f = 0; f < fours; ++f) {
        slopes[f] = plus_product(slopes[f], factor, load(h + 4 * f));
        store(plus_product(load(gh + 4 * f), factor, at[f]), gh + 4 * f);
      }
      for (int k = 0; k < tail; ++k) {
        tail_slopes[k] += slope * h[whole + k];
        gh[whole + k] += slope * tail_at[k];
      }
    }
    for (int f = 0; f < fours; ++f) store(slopes[f], gw + 4 * f);
    for (int k = 0; k < tail; ++k) gw[whole + k] = tail_slopes[k];
  }
  return squares;
}

// Rows that registers do not hold: that of w and its slopes stay in the nearest cache.
double long_rows(const Work& work) {
  const std::size_t rank = work.rank, whole = rank / 4 * 4;
  double squares = 0;
  for (std::size_t i = 0; i < work.pairs.rows; ++i) {
    const double* w = work.w + i * rank;
    double* gw = work.gw + i * rank;
    for (std::size_t pair = work.pairs.begin[i]; pair < work.pairs.begin[i + 1]; ++pair) {
      work.fetch_after(pair, rank);
      const double* h = work.h + work.pairs.other[pair] * rank;
      double* gh = work.gh + work.pairs.other[pair] * rank;
      Four sums = zeros();
      for (std::size_t k = 0; k < whole; k += 4) sums = plus_product(sums, load(w + k), load(h + k));
      double product = sum_of(sums);
      for (std::size_t k = whole; k < rank; ++k) product += w[k] * h[k];
      const double error = work.pairs.value[pair] - product, slope = work.weight * error;
      squares += error * error;
      const Four factor = all(slope);
      for (std::size_t k = 0; k < whole; k += 4) {
        store(plus_product(load(gw + k), factor, load(h + k)), gw + k);
        store(plus_product(load(gh + k), factor, load(w + k)), gh + k);
      }
      for (std::size_t k = whole; k < rank; ++k) gw[k] += slope * h[k], gh[k] += slope * w[k];
    }
  }
  return squares;
}

template <int fours>
double with_tail(const Work& work) {
  switch (work.rank % 4) {
    case 1:
      return short_rows<fours, 1>(work);
    case 2:
      return short_rows<fours, 2>(work);
    case 3:
      return short_rows<fours, 3>(work);
    default:
      return short_rows<fours, 0>(work);
  }
}

double block_slopes(const PairsOfRows& pairs, std::size_t rank, const double* w, const double* h, double weight,
                    double* gw, double* gh) {
  const Work work{pairs, rank, w, h, weight, gw, gh};
  switch (rank / 4) {
    case 0:
      return with_tail<0>(work);
    case 1:
      return with_tail<1>(work);
    case 2:
      return with_tail<2>(work);
    case 3:
      return with_tail<3>(work);
    case 4:
      return with_tail<4>(work);
    case 5:
      return with_tail<5>(work);
    default:
      return long_rows(work);
  }
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace quasar::simd
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace quasar::simd {

HWY_EXPORT(block_slopes);

double add_block_slopes(const PairsOfRows& pairs, std::size_t rank, const double* w, const double* h, double weight,
                        double* gw, double* gh) {
  return HWY_DYNAMIC_DISPATCH(block_slopes)(pairs, rank, w, h, weight, gw, gh);
}

}  // namespace quasar::simd
#endif
