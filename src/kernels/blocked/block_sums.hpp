// Sums over all blocks that have the same bits for any number of ranks: each block has places of its own, which are
// zero on every rank but one, so that adding the ranks is exact; the blocks are then added in their order.
#pragma once

#include <quasar/core.hpp>
#include <quasar/exchange.hpp>

namespace quasar {

class BlockSums {
 public:
  BlockSums() = default;
  BlockSums(Index blocks, Index most) : of_blocks_(blocks * most), total_(most), blocks_(blocks) {}

  void clear(Index count) {
    count_ = count;
    of_blocks_.setZero();
  }
  auto of(Index block) { return of_blocks_.segment(block * count_, count_); }

  // Of all ranks, once.
  const Vec& total(Exchange& exchange) {
    exchange.sum({of_blocks_.data(), static_cast<std::size_t>(blocks_ * count_)});
    total_.setZero();
    for (Index block = 0; block < blocks_; ++block) total_.head(count_) += of(block);
    return total_;
  }

 private:
  Vec of_blocks_, total_;
  Index blocks_ = 0, count_ = 0;
};

}  // namespace quasar
