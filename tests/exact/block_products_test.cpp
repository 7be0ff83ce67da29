// Products with narrow blocks, B (B'X) added to what is there: for every instruction set, size of a tile and rest.
#include "simd/block_products.hpp"

#include <gtest/gtest.h>

#include <vector>

#include <quasar/core.hpp>
#include <quasar/rng.hpp>

#include "support/instruction_sets.hpp"

namespace quasar {
namespace {

Mat normals(Index rows, Index cols, Stream& stream) {
  Mat out(rows, cols);
  for (Index j = 0; j < cols; ++j) stream.normals(out.col(j));
  return out;
}

TEST(BlockProducts, AgreeWithProductsOfMatrices) {
  test::with_each_instruction_set([] {
    Stream stream = Rng(1).stream("numbers");
    for (const Index dim : {1, 2, 7, 8, 9, 16, 31, 48}) {
      for (const Index columns : {1, 2, 3, 4, 5, 6, 7, 12, 13}) {
        for (const Index count : {1, 2, 3, 4, 5, 11}) {
          const Mat block = normals(dim, count, stream), wide = normals(dim + 3, columns, stream);
          Mat out = normals(dim, columns, stream);
          const Mat expected = out + block * (block.transpose() * wide.topRows(dim));
          std::vector<double> scores(static_cast<std::size_t>(count * columns));
          const auto size = [](Index n) { return static_cast<std::size_t>(n); };
          simd::add_block_product({block.data(), size(dim), size(count)},
                                  {wide.data(), size(columns), size(wide.rows())}, scores.data(), out.data());
          ASSERT_LT((out - expected).norm(), 1e-13 * (1 + expected.norm())) << dim << ' ' << columns << ' ' << count;
        }
      }
    }
  });
}

}  // namespace
}  // namespace quasar
