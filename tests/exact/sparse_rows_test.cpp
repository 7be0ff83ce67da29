// Sparse rows times dense matrices against plain loops, for every number of vectors that a row may leave over.
#include "simd/sparse_rows.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <vector>

#include <quasar/rng.hpp>

namespace quasar {
namespace {

template <class Real>
std::vector<Real> drawn(std::size_t count, const char* name) {
  std::vector<Real> numbers(count);
  Stream draws = Rng(1).stream(name);
  for (Real& number : numbers) number = static_cast<Real>(draws.uniform() - 0.5);
  return numbers;
}

template <class Real>
struct Case {
  static constexpr double rounding = 8 * std::numeric_limits<Real>::epsilon();
  std::size_t width;
  std::vector<std::uint32_t> columns = {4, 0, 2};
  std::vector<Real> values = drawn<Real>(3, "values"), dense = drawn<Real>(5 * width, "dense"),
                    v = drawn<Real>(width, "v");
  simd::SparseRow<Real> row{columns.data(), values.data(), columns.size()};
};

template <class Real>
void expect_products() {
  for (std::size_t width = simd::padding; width <= 9 * simd::padding; width += simd::padding) {
    const Case<Real> c{width};
    std::vector<Real> out(width);
    simd::sparse_times_dense(c.row, c.dense.data(), width, out.data());
    for (std::size_t i = 0; i < width; ++i) {
      Real sum = 0;
      for (std::size_t k = 0; k < 3; ++k) sum += c.values[k] * c.dense[c.columns[k] * width + i];
      EXPECT_NEAR(out[i], sum, c.rounding) << width << ", " << i;
    }
  }
}

template <class Real>
void expect_outer_products() {
  for (std::size_t width = simd::padding; width <= 9 * simd::padding; width += simd::padding) {
    const Case<Real> c{width};
    std::vector<Real> out = c.dense, sum = c.dense;
    simd::add_sparse_outer(c.row, c.v.data(), width, out.data());
    for (std::size_t k = 0; k < 3; ++k) {
      for (std::size_t i = 0; i < width; ++i) sum[c.columns[k] * width + i] += c.values[k] * c.v[i];
    }
    for (std::size_t i = 0; i < sum.size(); ++i) EXPECT_NEAR(out[i], sum[i], c.rounding) << width << ", " << i;
  }
}

TEST(SparseRows, TimesDense) {
  expect_products<float>();
  expect_products<double>();
}

TEST(SparseRows, OuterProducts) {
  expect_outer_products<float>();
  expect_outer_products<double>();
}

}  // namespace
}  // namespace quasar
