#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "simd/outer_products.cpp"  // compiled once per instruction set
#include "simd/outer_products.hpp"

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

using Tag = hn::CappedTag<double, column_padding / 2>;
constexpr std::size_t tile_columns = 4;  // by two vectors of rows: eight sums that stay in registers

HWY_INLINE void add_tile(const double* columns, std::size_t length, std::size_t count, std::size_t row,
                         std::size_t column, double* sum) {
  const Tag d;
  const std::size_t lanes = hn::Lanes(d);
  auto a0 = hn::Zero(d), a1 = a0, a2 = a0, a3 = a0, b0 = a0, b1 = a0, b2 = a0, b3 = a0;
  for (std::size_t k = 0; k < count; ++k) {
    const double* c = columns + k * length;
    const auto upper = hn::LoadU(d, c + row), lower = hn::LoadU(d, c + row + lanes);
    const auto c0 = hn::Set(d, c[column]), c1 = hn::Set(d, c[column + 1]);
    const auto c2 = hn::Set(d, c[column + 2]), c3 = hn::Set(d, c[column + 3]);
    a0 = hn::MulAdd(upper, c0, a0), b0 = hn::MulAdd(lower, c0, b0);
    a1 = hn::MulAdd(upper, c1, a1), b1 = hn::MulAdd(lower, c1, b1);
    a2 = hn::MulAdd(upper, c2, a2), b2 = hn::MulAdd(lower, c2, b2);
    a3 = hn::MulAdd(upper, c3, a3), b3 = hn::MulAdd(lower, c3, b3);
  }
  const auto add = [&](auto upper, auto lower, std::size_t j) {
    double* to = sum + (column + j) * length + row;
    hn::StoreU(hn::Add(hn::LoadU(d, to), upper), d, to);
    hn::StoreU(hn::Add(hn::LoadU(d, to + lanes), lower), d, to + lanes);
  };
  add(a0, b0, 0), add(a1, b1, 1), add(a2, b2, 2), add(a3, b3, 3);
}

void outer_products(const double* columns, std::size_t length, std::size_t count, double* sum) {
  const std::size_t tile_rows = 2 * hn::Lanes(Tag());
  for (std::size_t column = 0; column < length; column += tile_columns) {
    for (std::size_t row = column / tile_rows * tile_rows; row < length; row += tile_rows) {
      add_tile(columns, length, count, row, column, sum);
    }
  }
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace quasar::simd
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace quasar::simd {

HWY_EXPORT(outer_products);

void add_outer_products(const double* columns, std::size_t length, std::size_t count, double* sum) {
  HWY_DYNAMIC_DISPATCH(outer_products)(columns, length, count, sum);
}

}  // namespace quasar::simd
#endif
