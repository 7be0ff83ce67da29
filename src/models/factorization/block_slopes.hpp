// The slopes of the ratings of one block: with e = value - w'h, gw += weight e h and gh += weight e w. w, gw: the rows
// of the block's users, h, gh: those of its items, `rank` numbers each. Returns the sum of e^2.
#pragma once

#include "models/factorization/rating_blocks.hpp"
#include "simd/block_slopes.hpp"

namespace quasar {

inline double add_block_slopes(const RatingBlock& block, Index rank, const double* w, const double* h, double weight,
                               double* gw, double* gh) {
  return simd::add_block_slopes({block.begin.data(), block.begin.size() - 1, block.item.data(), block.value.data()},
                                static_cast<std::size_t>(rank), w, h, weight, gw, gh);
}

}  // namespace quasar
