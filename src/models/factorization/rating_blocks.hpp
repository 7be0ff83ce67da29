// The ratings of a matrix factorization in B x B blocks, of which each rank holds some rows of blocks.
//
// Users and items are put in a fixed random order (their places) and cut into B ranges of about as many ratings each.
// Part p of the ratings is a cyclic diagonal of blocks, the users' block b with the items' block (b + p) mod B: its B
// blocks touch disjoint users and disjoint items, and the B parts together are all ratings.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include <quasar/core.hpp>
#include <quasar/exchange.hpp>

namespace quasar {

struct RatingBlock {                 // of the users of one block on the items of one block, user after user
  std::vector<std::uint32_t> begin;  // of each user of the block, and the end of the last
  std::vector<std::uint32_t> item;   // within the items' block, ascending for each user
  std::vector<double> value;         // rating - center
};

struct BlockedSide {             // users or items
  std::vector<Index> begin;      // of each block, and the end of the last: places
  std::vector<std::int32_t> at;  // which user or item has a place: its number in the order of labels
  Index blocks() const { return std::ssize(begin) - 1; }
  Index rows(Index block) const {
    return begin[static_cast<std::size_t>(block + 1)] - begin[static_cast<std::size_t>(block)];
  }
};

struct RatingBlocks {
  BlockedSide users, items;
  std::vector<std::int64_t> counts;   // ratings in block (b, c) at b * B + c, of all ranks
  std::vector<std::int64_t> largest;  // of each side (users, items), the most ratings that one row has
  Share share;                        // the blocks of users whose ratings this rank has
  std::vector<RatingBlock> own;       // block (b, c) at (b - share.begin) * B + c

  Index blocks() const { return users.blocks(); }
  std::int64_t count(Index b, Index c) const { return counts[static_cast<std::size_t>(b * blocks() + c)]; }
  const RatingBlock& block(Index b, Index c) const {
    return own[static_cast<std::size_t>((b - share.begin) * blocks() + c)];
  }
};

// x_ij ~ N(w_i'h_j, noise_sd^2), w_ik ~ N(0, user_sd^2), h_jk ~ N(0, item_sd^2)
struct BlockedFactorizationSettings {
  Index rank = 10, blocks = 4;
  double noise_sd = 1, user_sd = 1, item_sd = 1;
  double start_sd = 0.3;
};

// A target (it derives from this beside Target) whose x is all rows w_i, then all rows h_j, in the order of labels, and
// which a blocked sampler takes apart instead of evaluating it.
struct BlockedFactorization {
  virtual ~BlockedFactorization() = default;
  virtual const BlockedFactorizationSettings& settings() const = 0;
  virtual std::shared_ptr<const RatingBlocks> load_blocks(Exchange& exchange) const = 0;  // of all ranks. DataError
};

}  // namespace quasar
