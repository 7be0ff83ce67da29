#include "models/factorization/load_blocks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include <quasar/errors.hpp>

#include "core/place.hpp"

namespace quasar {

namespace {

// Block k begins with the row that has the rating k N / B. Each has a row at least, also where few rows have most
// ratings.
template <class PlaceOf>
std::vector<Index> cuts(Index blocks, Index rows, Index ratings, PlaceOf place_of_rating) {
  std::vector<Index> begin{0};
  for (Index k = 1; k < blocks; ++k) {
    begin.push_back(std::clamp(place_of_rating(k * ratings / blocks), begin.back() + 1, rows - (blocks - k)));
  }
  begin.push_back(rows);
  return begin;
}

// The first number below `end` for which `is_there` holds, as it does for all that follow.
template <class IsThere>
Index first_where(Index end, IsThere is_there) {
  Index begin = 0;
  while (begin < end) {
    const Index middle = begin + (end - begin) / 2;
    if (is_there(middle)) {
      end = middle;
    } else {
      begin = middle + 1;
    }
  }
  return begin;
}

class Loader {
 public:
  Loader(const SortedRatings& ratings, double center, Index blocks, Exchange& exchange)
      : ratings_(ratings), center_(center), blocks_(blocks), exchange_(exchange) {
    require_rows(std::ssize(ratings.users), "users");
    require_rows(std::ssize(ratings.items), "items");
    require_a_block_each(exchange.size(), blocks);
  }

  std::shared_ptr<const RatingBlocks> load() {
    loaded_->users.at = numbers_by_place(ratings_.users.size());
    loaded_->items.at = numbers_by_place(ratings_.items.size());
    user_places_ = places_in(loaded_->users.at);
    item_places_ = places_in(loaded_->items.at);
    loaded_->share = share_of(exchange_.rank(), exchange_.size(), blocks_);
    cut_users();
    cut_items();
    std::vector<double> sums(at(blocks_ * blocks_ + blocks_), 0);  // ratings of each block, largest of each user block
    for (Index b = loaded_->share.begin; b < loaded_->share.end; ++b) {
      split(b, std::span(sums).subspan(at(b * blocks_), at(blocks_)), sums[at(blocks_ * blocks_ + b)]);
    }
    exchange_.sum(sums);
    loaded_->counts.assign(sums.begin(), sums.end() - blocks_);
    loaded_->largest[0] = static_cast<std::int64_t>(*std::max_element(sums.end() - blocks_, sums.end()));
    return loaded_;
  }

 private:
  void require_rows(Index rows, const char* name) const {
    if (rows >= blocks_) return;
    throw UsageError(fmt::format("{} {} cannot be cut into {} blocks: set model.blocks={} at most", rows, name, blocks_,
                                 std::min(std::ssize(ratings_.users), std::ssize(ratings_.items))));
  }

  Index user_place(const Rating& one) const { return user_places_[at(one.user)]; }
  Index item_place(const Rating& one) const { return item_places_[at(one.item)]; }
  Index first_rating(Index block) const {  // of a block of users
    const Index place = loaded_->users.begin[at(block)];
    return first_where(ratings_.size(), [&](Index row) { return user_place(ratings_.at(row)) >= place; });
  }

  void cut_users() {
    loaded_->users.begin = cuts(blocks_, std::ssize(ratings_.users), ratings_.size(),
                                [&](Index rating) { return user_place(ratings_.at(rating)); });
    for (Index b = loaded_->share.begin; b <= loaded_->share.end; ++b) first_ratings_.push_back(first_rating(b));
  }

  void cut_items() {
    std::vector<double> ends(ratings_.items.size(), 0);  // counts of ratings, then the sums of them
    ratings_.each(first_ratings_.front(), first_ratings_.back(),
                  [&](const Rating& one) { ++ends[at(item_place(one))]; });
    exchange_.sum(ends);
    loaded_->largest[1] = static_cast<std::int64_t>(*std::ranges::max_element(ends));
    std::partial_sum(ends.begin(), ends.end(), ends.begin());
    loaded_->items.begin = cuts(blocks_, std::ssize(ends), ratings_.size(), [&](Index rating) {
      return std::ranges::upper_bound(ends, static_cast<double>(rating)) - ends.begin();
    });
    for (Index block = 0; block < blocks_; ++block) {
      item_blocks_.insert(item_blocks_.end(), at(loaded_->items.rows(block)), static_cast<std::int32_t>(block));
    }
  }

  // The ratings of the users of block b into the blocks of their items, in two passes: counted, they need no memory but
  // that which they stay in.
  void split(Index b, std::span<double> counts, double& most_of_a_user) {
    most_of_a_user = count_ratings(b, counts);
    const std::size_t first = loaded_->own.size();
    for (const double count : counts) {
      if (count > std::numeric_limits<std::uint32_t>::max()) {
        throw DataError(fmt::format("{}: a block has {} ratings, and 4294967295 is the most: set model.blocks higher",
                                    ratings_.source, count));
      }
      RatingBlock& block = loaded_->own.emplace_back();
      block.begin.assign(at(loaded_->users.rows(b)) + 1, 0);
      block.item.reserve(static_cast<std::size_t>(count)), block.value.reserve(static_cast<std::size_t>(count));
    }
    const std::span<RatingBlock> blocks = std::span(loaded_->own).subspan(first);
    const Index first_user = loaded_->users.begin[at(b)];
    each_of_block(b, [&](const Rating& one) {
      const Index item = item_place(one), c = item_blocks_[at(item)];
      RatingBlock& block = blocks[at(c)];
      ++block.begin[at(user_place(one) - first_user) + 1];
      block.item.push_back(static_cast<std::uint32_t>(item - loaded_->items.begin[at(c)]));
      block.value.push_back(one.value - center_);
    });
    for (RatingBlock& block : blocks) {
      std::partial_sum(block.begin.begin(), block.begin.end(), block.begin.begin());
    }
  }

  // By blocks of items. The most that one user has.
  double count_ratings(Index b, std::span<double> counts) const {
    const Index end_of_users = loaded_->users.begin[at(b + 1)];
    double most = 0, of_user = 0;
    std::pair<Index, Index> before{loaded_->users.begin[at(b)], -1};
    each_of_block(b, [&](const Rating& one) {
      const std::pair now{user_place(one), item_place(one)};
      if (now < before || now.first >= end_of_users) fail_at_order();
      of_user = now.first == before.first ? of_user + 1 : 1;
      most = std::max(most, of_user);
      before = now;
      ++counts[at(item_blocks_[at(now.second)])];
    });
    return most;
  }

  template <class Use>
  void each_of_block(Index b, Use&& use) const {  // of users
    const std::size_t k = at(b - loaded_->share.begin);
    ratings_.each(first_ratings_[k], first_ratings_[k + 1], std::forward<Use>(use));
  }

  [[noreturn]] void fail_at_order() const {
    throw DataError(fmt::format("{}: the ratings are not sorted as they should be: pack them again", ratings_.source));
  }

  const SortedRatings& ratings_;
  double center_;
  Index blocks_;
  Exchange& exchange_;
  std::shared_ptr<RatingBlocks> loaded_ = [] {
    auto blocks = std::make_shared<RatingBlocks>();
    blocks->largest = {0, 0};
    return blocks;
  }();
  std::vector<std::int32_t> user_places_, item_places_;
  std::vector<Index> first_ratings_;       // of each block of users of the share, and the end of the last
  std::vector<std::int32_t> item_blocks_;  // of the item with each place
};

}  // namespace

void require_a_block_each(int ranks, Index blocks) {
  if (ranks <= blocks) return;
  throw UsageError(
      fmt::format("{} ranks for {} blocks: a rank has a block of users at least; start {} ranks at "
                  "most, or set model.blocks={}",
                  ranks, blocks, blocks, ranks));
}

std::shared_ptr<const RatingBlocks> load_rating_blocks(const SortedRatings& ratings, double center, Index blocks,
                                                       Exchange& exchange) {
  return Loader(ratings, center, blocks, exchange).load();
}

}  // namespace quasar
