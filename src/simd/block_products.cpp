#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "simd/block_products.cpp"  // compiled once per instruction set
#include "simd/block_products.hpp"

#include <algorithm>
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

using Tag = hn::CappedTag<double, 8>;
constexpr Tag d;
using Vector = hn::Vec<Tag>;
constexpr std::size_t lanes = hn::MaxLanes(Tag());
constexpr std::size_t terms_of_tile = lanes == 8 ? 4 : 2;  // by four columns: sums that stay in registers
constexpr std::size_t columns_of_tile = 4, columns_of_sum = 6;

// Instructions with masks touch nothing else; where there are none, nothing beyond these numbers may be touched either.
constexpr bool has_masks = lanes >= 4;

HWY_INLINE Vector load_some(const double* from, std::size_t count) {
  if constexpr (has_masks) {
    return hn::MaskedLoad(hn::FirstN(d, count), d, from);
  } else {
    double some[lanes] = {};
    std::copy_n(from, count, some);
    return hn::LoadU(d, some);
  }
}
HWY_INLINE void store_some(Vector value, double* to, std::size_t count) {
  if constexpr (has_masks) {
    hn::BlendedStore(value, hn::FirstN(d, count), d, to);
  } else {
    double some[lanes];
    hn::StoreU(value, d, some);
    std::copy_n(some, count, to);
  }
}
HWY_INLINE double sum_of_lanes(Vector value) {
#if HWY_TARGET == HWY_SCALAR
  return hn::GetLane(value);
#else
  return hn::GetLane(hn::SumOfLanes(d, value));
#endif
}

// Calls use with the count as a constant, 1 .. most.
template <std::size_t most, class Use>
HWY_INLINE void with_constant(std::size_t count, const Use& use) {
  if constexpr (most > 1) {
    if (count < most) return with_constant<most - 1>(count, use);
  }
  use(std::integral_constant<std::size_t, most>());
}

template <std::size_t terms, std::size_t columns>
HWY_INLINE void score_tile(const BlockOfTerms& block, const double* first, const NarrowMatrix& x, std::size_t column,
                           double* scores) {
  Vector sums[terms][columns];
  for (auto& of_term : sums) {
    for (Vector& sum : of_term) sum = hn::Zero(d);
  }
  const double* of_column = x.values + column * x.stride;
  const auto add = [&](std::size_t i, auto load) HWY_ATTR {
    Vector values[columns];
    for (std::size_t c = 0; c < columns; ++c) values[c] = load(of_column + c * x.stride + i);
    for (std::size_t t = 0; t < terms; ++t) {
      const Vector term = load(first + t * block.dim + i);
      for (std::size_t c = 0; c < columns; ++c) sums[t][c] = hn::MulAdd(term, values[c], sums[t][c]);
    }
  };
  const std::size_t whole = block.dim / lanes * lanes, rest = block.dim - whole;
  for (std::size_t i = 0; i < whole; i += lanes) add(i, [](const double* from) HWY_ATTR { return hn::LoadU(d, from); });
  if (rest > 0) add(whole, [rest](const double* from) HWY_ATTR { return load_some(from, rest); });
  for (std::size_t t = 0; t < terms; ++t) {
    for (std::size_t c = 0; c < columns; ++c) {
      scores[t * x.columns + column + c] = sum_of_lanes(sums[t][c]);
    }
  }
}

void find_scores(const BlockOfTerms& block, const NarrowMatrix& x, double* scores) {
  for (std::size_t t = 0; t < block.count; t += terms_of_tile) {
    const double* first = block.terms + t * block.dim;
    for (std::size_t c = 0; c < x.columns; c += columns_of_tile) {
      with_constant<terms_of_tile>(std::min(terms_of_tile, block.count - t), [&](auto terms) HWY_ATTR {
        with_constant<columns_of_tile>(std::min(columns_of_tile, x.columns - c), [&](auto columns) HWY_ATTR {
          score_tile<terms, columns>(block, first, x, c, scores + t * x.columns);
        });
      });
    }
  }
}

// Rows i .. i + 2 lanes of a few columns of the sum; `rest` of them where there are fewer.
template <std::size_t columns, bool is_whole>
HWY_INLINE void add_sums(const BlockOfTerms& block, const double* scores, std::size_t stride, std::size_t i,
                         std::size_t rest, double* out) {
  const auto load = [&](const double* from) HWY_ATTR {
    const std::size_t upper = std::min(rest, lanes), lower = rest - upper;
    return is_whole ? std::pair(hn::LoadU(d, from), hn::LoadU(d, from + lanes))
                    : std::pair(load_some(from, upper), lower > 0 ? load_some(from + lanes, lower) : hn::Zero(d));
  };
  std::pair<Vector, Vector> sums[columns];
  for (auto& sum : sums) sum = {hn::Zero(d), hn::Zero(d)};
  for (std::size_t t = 0; t < block.count; ++t) {
    const auto [upper, lower] = load(block.terms + t * block.dim + i);
    for (std::size_t c = 0; c < columns; ++c) {
      const Vector score = hn::Set(d, scores[t * stride + c]);
      sums[c].first = hn::MulAdd(upper, score, sums[c].first);
      sums[c].second = hn::MulAdd(lower, score, sums[c].second);
    }
  }
  for (std::size_t c = 0; c < columns; ++c) {
    double* to = out + c * block.dim + i;
    const auto [upper, lower] = load(to);
    const Vector first = hn::Add(upper, sums[c].first), second = hn::Add(lower, sums[c].second);
    if constexpr (is_whole) {
      hn::StoreU(first, d, to);
      hn::StoreU(second, d, to + lanes);
    } else {
      store_some(first, to, std::min(rest, lanes));
      if (rest > lanes) store_some(second, to + lanes, rest - lanes);
    }
  }
}

void add_block_product(const BlockOfTerms& block, const NarrowMatrix& x, double* scores, double* out) {
  find_scores(block, x, scores);
  const std::size_t tiles = (x.columns + columns_of_sum - 1) / columns_of_sum;
  for (std::size_t i = 0; i < block.dim; i += 2 * lanes) {
    const std::size_t rest = std::min(2 * lanes, block.dim - i);
    for (std::size_t k = 0; k < tiles; ++k) {
      const std::size_t begin = k * x.columns / tiles, end = (k + 1) * x.columns / tiles;
      with_constant<columns_of_sum>(end - begin, [&](auto columns) HWY_ATTR {
        if (rest == 2 * lanes) {
          add_sums<columns, true>(block, scores + begin, x.columns, i, rest, out + begin * block.dim);
        } else {
          add_sums<columns, false>(block, scores + begin, x.columns, i, rest, out + begin * block.dim);
        }
      });
    }
  }
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace quasar::simd
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace quasar::simd {

HWY_EXPORT(add_block_product);

void add_block_product(const BlockOfTerms& block, const NarrowMatrix& x, double* scores, double* out) {
  HWY_DYNAMIC_DISPATCH(add_block_product)(block, x, scores, out);
}

}  // namespace quasar::simd
#endif
