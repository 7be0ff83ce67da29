// Slopes of all ratings of a factorization in blocks, cyclic diagonal after diagonal, beside those of pairs in the
// order of the blocks (simd/row_pairs.hpp): the same ratings, the same rows, one thread. Ratings are made up: users
// alike, items by Zipf's law. The bar: 1.
//
// Both take 6 flops for each rating and factor. Pairs take 6 loads and 2 stores: w and h twice, gw and gh. In blocks
// the row of w and its slopes stay in registers up to rank 23, which leaves 3 loads and a store: h twice, gh.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include <quasar/rng.hpp>

#include "models/factorization/block_slopes.hpp"
#include "side_by_side.hpp"
#include "simd/row_pairs.hpp"

namespace quasar {
namespace {

struct Size {
  Index users, items, ratings, blocks, rank;
};

class Slopes {
 public:
  explicit Slopes(const Size& size) : size_(size), x_((size.users + size.items) * size.rank), slopes_(x_) {
    Rng(1).stream("x").normals(x_);
    slopes_.setZero();
    const Index users = size.users / size.blocks, items = size.items / size.blocks;
    Stream numbers = Rng(1).stream("ratings");
    const double log_items = std::log(static_cast<double>(items));
    std::vector<std::uint32_t> rated(static_cast<std::size_t>(size.ratings / size.blocks / size.blocks / users));
    for (Index p = 0; p < size.blocks; ++p) {
      for (Index b = 0; b < size.blocks; ++b) {
        One& one = all_.emplace_back();
        one.user = b * users;
        one.item = size.users + (b + p) % size.blocks * items;
        one.ratings.begin.push_back(0);
        for (Index u = 0; u < users; ++u) {
          for (std::uint32_t& item : rated) {
            item = static_cast<std::uint32_t>(std::exp(numbers.uniform() * log_items) - 1) * 7919 %
                   static_cast<std::uint32_t>(items);  // popular ones are anywhere
          }
          std::ranges::sort(rated);
          for (const std::uint32_t item : rated) {
            one.ratings.item.push_back(item);
            one.ratings.value.push_back(numbers.uniform() - 0.5);
            one.pairs.push_back({row(one.user + u), row(one.item + item), one.ratings.value.back()});
          }
          one.ratings.begin.push_back(static_cast<std::uint32_t>(one.ratings.item.size()));
        }
      }
    }
  }

  void by_blocks() {
    for (const One& one : all_) {
      add_block_slopes(one.ratings, size_.rank, x_.data() + row(one.user), x_.data() + row(one.item), 1e-9,
                       slopes_.data() + row(one.user), slopes_.data() + row(one.item));
    }
  }
  void by_pairs() {
    const simd::RowShape shape{static_cast<std::size_t>(size_.rank), false};
    for (const One& one : all_) {
      simd::add_pair_slopes(one.pairs.data(), one.pairs.size(), shape, x_.data(), 1e-9, slopes_.data());
    }
  }
  Index ratings() const {
    Index count = 0;
    for (const One& one : all_) count += std::ssize(one.pairs);
    return count;
  }

 private:
  struct One {
    Index user = 0, item = 0;
    RatingBlock ratings;
    std::vector<simd::RowPair> pairs;
  };
  std::size_t row(Index i) const { return static_cast<std::size_t>(i * size_.rank); }

  Size size_;
  Vec x_, slopes_;
  std::vector<One> all_;
};

void compare(const Size& size) {
  Slopes slopes(size);
  const double flops = 6.0 * static_cast<double>(size.rank * slopes.ratings());
  const double best = seconds([&] { slopes.by_blocks(); });
  report(
      fmt::format("{:.0e} rank {}", static_cast<double>(slopes.ratings()), size.rank).c_str(), 1,
      [&] { slopes.by_blocks(); }, [&] { slopes.by_pairs(); }, "pairs");
  fmt::print("  {:.1f} ns a rating, {:.1f} Gflop/s in the first round\n",
             1e9 * best / static_cast<double>(slopes.ratings()), 1e-9 * flops / best);
}

}  // namespace
}  // namespace quasar

int main() {
  for (const quasar::Index rank : {10, 20, 50}) {
    quasar::compare({6040, 3704, 1'000'000, 4, rank});
    quasar::compare({100'000, 20'000, 6'400'000, 4, rank});
  }
}
