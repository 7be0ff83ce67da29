#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "simd/sparse_rows.cpp"  // compiled once per instruction set
#include "simd/sparse_rows.hpp"

#include <type_traits>

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

// `vectors` of them side by side, four at most: they stay in registers while the row is gone through.
template <int vectors, class Tag, class Real>
HWY_INLINE void product(Tag d, const SparseRow<Real>& row, const Real* dense, std::size_t width, Real* out) {
  const std::size_t lanes = hn::Lanes(d);
  auto a = hn::Zero(d), b = a, c = a, e = a;
  for (std::size_t k = 0; k < row.count; ++k) {
    const Real* from = dense + row.columns[k] * width;
    const auto v = hn::Set(d, row.values[k]);
    a = hn::MulAdd(v, hn::LoadU(d, from), a);
    if constexpr (vectors > 1) b = hn::MulAdd(v, hn::LoadU(d, from + lanes), b);
    if constexpr (vectors > 2) c = hn::MulAdd(v, hn::LoadU(d, from + 2 * lanes), c);
    if constexpr (vectors > 3) e = hn::MulAdd(v, hn::LoadU(d, from + 3 * lanes), e);
  }
  hn::StoreU(a, d, out);
  if constexpr (vectors > 1) hn::StoreU(b, d, out + lanes);
  if constexpr (vectors > 2) hn::StoreU(c, d, out + 2 * lanes);
  if constexpr (vectors > 3) hn::StoreU(e, d, out + 3 * lanes);
}

template <int vectors, class Tag, class Real>
HWY_INLINE void outer(Tag d, const SparseRow<Real>& row, const Real* v, std::size_t width, Real* dense) {
  const std::size_t lanes = hn::Lanes(d);
  const auto a = hn::LoadU(d, v);
  const auto b = vectors > 1 ? hn::LoadU(d, v + lanes) : a;
  const auto c = vectors > 2 ? hn::LoadU(d, v + 2 * lanes) : a;
  const auto e = vectors > 3 ? hn::LoadU(d, v + 3 * lanes) : a;
  for (std::size_t k = 0; k < row.count; ++k) {
    Real* to = dense + row.columns[k] * width;
    const auto x = hn::Set(d, row.values[k]);
    hn::StoreU(hn::MulAdd(x, a, hn::LoadU(d, to)), d, to);
    if constexpr (vectors > 1) hn::StoreU(hn::MulAdd(x, b, hn::LoadU(d, to + lanes)), d, to + lanes);
    if constexpr (vectors > 2) hn::StoreU(hn::MulAdd(x, c, hn::LoadU(d, to + 2 * lanes)), d, to + 2 * lanes);
    if constexpr (vectors > 3) hn::StoreU(hn::MulAdd(x, e, hn::LoadU(d, to + 3 * lanes)), d, to + 3 * lanes);
  }
}

// use(number of vectors, where they begin) until the width is done.
template <class Use>
HWY_INLINE void in_strips(std::size_t width, std::size_t lanes, Use&& use) {
  std::size_t at = 0;
  for (; at + 4 * lanes <= width; at += 4 * lanes) use(std::integral_constant<int, 4>(), at);
  const std::size_t left = (width - at) / lanes;
  if (left == 3) use(std::integral_constant<int, 3>(), at);
  if (left == 2) use(std::integral_constant<int, 2>(), at);
  if (left == 1) use(std::integral_constant<int, 1>(), at);
}

template <class Real>
void products(const SparseRow<Real>& row, const Real* dense, std::size_t width, Real* out) {
  const hn::CappedTag<Real, padding> d;
  in_strips(width, hn::Lanes(d),
            [&](auto vectors, std::size_t at) { product<vectors()>(d, row, dense + at, width, out + at); });
}

template <class Real>
void outers(const SparseRow<Real>& row, const Real* v, std::size_t width, Real* dense) {
  const hn::CappedTag<Real, padding> d;
  in_strips(width, hn::Lanes(d),
            [&](auto vectors, std::size_t at) { outer<vectors()>(d, row, v + at, width, dense + at); });
}

void dots(const std::uint32_t* columns, std::size_t count, const double* dense, std::size_t width, const double* v,
          double* out) {
  const hn::CappedTag<double, padding / 4> d;
  const std::size_t lanes = hn::Lanes(d);
  for (std::size_t k = 0; k < count; ++k) {
    const double* row = dense + columns[k] * width;
    auto a = hn::Zero(d), b = a, c = a, e = a;
    for (std::size_t i = 0; i < width; i += 4 * lanes) {
      a = hn::MulAdd(hn::LoadU(d, row + i), hn::LoadU(d, v + i), a);
      b = hn::MulAdd(hn::LoadU(d, row + i + lanes), hn::LoadU(d, v + i + lanes), b);
      c = hn::MulAdd(hn::LoadU(d, row + i + 2 * lanes), hn::LoadU(d, v + i + 2 * lanes), c);
      e = hn::MulAdd(hn::LoadU(d, row + i + 3 * lanes), hn::LoadU(d, v + i + 3 * lanes), e);
    }
    out[k] = hn::GetLane(hn::SumOfLanes(d, hn::Add(hn::Add(a, b), hn::Add(c, e))));
  }
}

void product_float(const SparseRow<float>& row, const float* dense, std::size_t width, float* out) {
  products(row, dense, width, out);
}
void product_double(const SparseRow<double>& row, const double* dense, std::size_t width, double* out) {
  products(row, dense, width, out);
}
void outer_float(const SparseRow<float>& row, const float* v, std::size_t width, float* dense) {
  outers(row, v, width, dense);
}
void outer_double(const SparseRow<double>& row, const double* v, std::size_t width, double* dense) {
  outers(row, v, width, dense);
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace quasar::simd
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace quasar::simd {

HWY_EXPORT(product_float);
HWY_EXPORT(product_double);
HWY_EXPORT(outer_float);
HWY_EXPORT(outer_double);
HWY_EXPORT(dots);

void sparse_times_dense(const SparseRow<float>& row, const float* dense, std::size_t width, float* out) {
  HWY_DYNAMIC_DISPATCH(product_float)(row, dense, width, out);
}
void sparse_times_dense(const SparseRow<double>& row, const double* dense, std::size_t width, double* out) {
  HWY_DYNAMIC_DISPATCH(product_double)(row, dense, width, out);
}
void add_sparse_outer(const SparseRow<float>& row, const float* v, std::size_t width, float* dense) {
  HWY_DYNAMIC_DISPATCH(outer_float)(row, v, width, dense);
}
void add_sparse_outer(const SparseRow<double>& row, const double* v, std::size_t width, double* dense) {
  HWY_DYNAMIC_DISPATCH(outer_double)(row, v, width, dense);
}
void sparse_dots(const std::uint32_t* columns, std::size_t count, const double* dense, std::size_t width,
                 const double* v, double* out) {
  HWY_DYNAMIC_DISPATCH(dots)(columns, count, dense, width, v, out);
}

}  // namespace quasar::simd
#endif
