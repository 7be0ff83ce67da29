#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "simd/row_pairs.cpp"  // compiled once per instruction set
#include "simd/row_pairs.hpp"

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

const hn::CappedTag<double, 4> d;  // rows are short: wider vectors would leave more numbers for single steps

HWY_INLINE double dot(const double* a, const double* b, std::size_t size) {
  const std::size_t lanes = hn::Lanes(d);
  auto sums = hn::Zero(d);
  std::size_t k = 0;
  for (; k + lanes <= size; k += lanes) sums = hn::MulAdd(hn::LoadU(d, a + k), hn::LoadU(d, b + k), sums);
  double sum = hn::GetLane(hn::SumOfLanes(d, sums));
  for (; k < size; ++k) sum += a[k] * b[k];
  return sum;
}

HWY_INLINE void add(double factor, const double* from, std::size_t size, double* to) {
  const std::size_t lanes = hn::Lanes(d);
  const auto factors = hn::Set(d, factor);
  std::size_t k = 0;
  for (; k + lanes <= size; k += lanes) {
    hn::StoreU(hn::MulAdd(factors, hn::LoadU(d, from + k), hn::LoadU(d, to + k)), d, to + k);
  }
  for (; k < size; ++k) to[k] += factor * from[k];
}

double pair_slopes(const RowPair* pairs, std::size_t count, const RowShape& shape, const double* x, double weight,
                   double* slopes) {
  const std::size_t rank = shape.rank;
  double squares = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const auto [a, b, value] = pairs[i];
    double error = value - dot(x + a, x + b, rank);
    if (shape.biases) error -= x[a + rank] + x[b + rank];
    squares += error * error;
    const double slope = weight * error;
    add(slope, x + b, rank, slopes + a);
    add(slope, x + a, rank, slopes + b);
    if (shape.biases) slopes[a + rank] += slope, slopes[b + rank] += slope;
  }
  return squares;
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace quasar::simd
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace quasar::simd {

HWY_EXPORT(pair_slopes);

double add_pair_slopes(const RowPair* pairs, std::size_t count, const RowShape& shape, const double* x, double weight,
                       double* slopes) {
  return HWY_DYNAMIC_DISPATCH(pair_slopes)(pairs, count, shape, x, weight, slopes);
}

}  // namespace quasar::simd
#endif
