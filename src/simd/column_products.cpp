#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "simd/column_products.cpp"  // compiled once per instruction set
#include "simd/column_products.hpp"

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

const hn::CappedTag<double, 8> wide;
const hn::CappedTag<double, 4> half;  // what is left of a column: a whole half instead of single numbers

// Four sums side by side hide the time that one takes.
double product(const double* a, const double* b, std::size_t size) {
  const std::size_t lanes = hn::Lanes(wide);
  auto s0 = hn::Zero(wide), s1 = s0, s2 = s0, s3 = s0;
  std::size_t k = 0;
  for (; k + 4 * lanes <= size; k += 4 * lanes) {
    s0 = hn::MulAdd(hn::LoadU(wide, a + k), hn::LoadU(wide, b + k), s0);
    s1 = hn::MulAdd(hn::LoadU(wide, a + k + lanes), hn::LoadU(wide, b + k + lanes), s1);
    s2 = hn::MulAdd(hn::LoadU(wide, a + k + 2 * lanes), hn::LoadU(wide, b + k + 2 * lanes), s2);
    s3 = hn::MulAdd(hn::LoadU(wide, a + k + 3 * lanes), hn::LoadU(wide, b + k + 3 * lanes), s3);
  }
  for (; k + lanes <= size; k += lanes) s0 = hn::MulAdd(hn::LoadU(wide, a + k), hn::LoadU(wide, b + k), s0);
  double sum = hn::GetLane(hn::SumOfLanes(wide, hn::Add(hn::Add(s0, s1), hn::Add(s2, s3))));
  const std::size_t few = hn::Lanes(half);
  if (k + few <= size) {
    sum += hn::GetLane(hn::SumOfLanes(half, hn::Mul(hn::LoadU(half, a + k), hn::LoadU(half, b + k))));
    k += few;
  }
  for (; k < size; ++k) sum += a[k] * b[k];
  return sum;
}

template <class D>
HWY_INLINE void add_here(D d, double factor, const double* from, double* to) {
  hn::StoreU(hn::MulAdd(hn::Set(d, factor), hn::LoadU(d, from), hn::LoadU(d, to)), d, to);
}

void add(double factor, const double* from, std::size_t size, double* to) {
  const std::size_t lanes = hn::Lanes(wide), few = hn::Lanes(half);
  std::size_t k = 0;
  for (; k + lanes <= size; k += lanes) add_here(wide, factor, from + k, to + k);
  if (k + few <= size) {
    add_here(half, factor, from + k, to + k);
    k += few;
  }
  for (; k < size; ++k) to[k] += factor * from[k];
}

void products(const ColumnPair* pairs, std::size_t count, std::size_t rank, const double* a, const double* b,
              double* out) {
  for (std::size_t i = 0; i < count; ++i) out[i] = product(a + pairs[i].a, b + pairs[i].b, rank);
}

void slopes(const ColumnPair* pairs, std::size_t count, std::size_t rank, const double* slope, const double* a,
            const double* b, double* slopes_a, double* slopes_b) {
  for (std::size_t i = 0; i < count; ++i) {
    const auto [place_a, place_b] = pairs[i];
    if (slopes_a != nullptr) add(slope[i], b + place_b, rank, slopes_a + place_a);
    add(slope[i], a + place_a, rank, slopes_b + place_b);
  }
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace quasar::simd
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace quasar::simd {

HWY_EXPORT(products);
HWY_EXPORT(slopes);

void column_products(const ColumnPair* pairs, std::size_t count, std::size_t rank, const double* a, const double* b,
                     double* out) {
  HWY_DYNAMIC_DISPATCH(products)(pairs, count, rank, a, b, out);
}

void add_column_slopes(const ColumnPair* pairs, std::size_t count, std::size_t rank, const double* slope,
                       const double* a, const double* b, double* slopes_a, double* slopes_b) {
  HWY_DYNAMIC_DISPATCH(slopes)(pairs, count, rank, slope, a, b, slopes_a, slopes_b);
}

}  // namespace quasar::simd
#endif
