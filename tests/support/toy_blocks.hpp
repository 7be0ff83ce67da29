// A factorization of a small matrix with about two thirds of its ratings, whose blocks are cut from rows in mixed
// order. A sum over the ratings for samplers that know nothing of blocks, too.
#pragma once

#include <algorithm>
#include <memory>
#include <vector>

#include <quasar/core.hpp>
#include <quasar/exchange.hpp>
#include <quasar/rng.hpp>

#include "models/factorization/rating_blocks.hpp"

namespace quasar::test {

class ToyBlocks final : public FiniteSum, public BlockedFactorization {
 public:
  struct Rating {
    Index user, item;
    double value;
  };

  ToyBlocks(Index users, Index items, const BlockedFactorizationSettings& settings)
      : users_(users), items_(items), settings_(settings) {
    Stream stream = Rng(21).stream("ratings");
    for (Index i = 0; i < users; ++i) {
      for (Index j = 0; j < items; ++j) {
        if ((i + 2 * j) % 3 != 0) ratings_.push_back({i, j, 1.5 * stream.normal()});
      }
    }
  }
  ToyBlocks(Index users, Index items, const BlockedFactorizationSettings& settings, std::vector<Rating> ratings)
      : users_(users), items_(items), settings_(settings), ratings_(std::move(ratings)) {}

  const std::vector<Rating>& ratings() const { return ratings_; }
  Index users() const { return users_; }
  Index items() const { return items_; }
  // Rotated by something that is no half of it: place and label taken for each other would be seen.
  static Index place_of(Index row, Index rows) { return (row + rows / 3 + 1) % rows; }
  static Index row_at(Index place, Index rows) { return (place + rows - rows / 3 - 1) % rows; }

  std::unique_ptr<Target> fork() const override { return std::make_unique<ToyBlocks>(*this); }
  Index dim() const override { return (users_ + items_) * settings_.rank; }
  Index terms() const override { return std::ssize(ratings_); }

  Eval prior(In x, Out grad, Want) override {
    const Index of_users = users_ * settings_.rank, of_items = items_ * settings_.rank;
    const double q = 1 / (settings_.user_sd * settings_.user_sd), r = 1 / (settings_.item_sd * settings_.item_sd);
    grad.head(of_users) = -q * x.head(of_users);
    grad.tail(of_items) = -r * x.tail(of_items);
    return {-q / 2 * x.head(of_users).squaredNorm() - r / 2 * x.tail(of_items).squaredNorm()};
  }
  Eval add_terms(In x, std::span<const Index> ids, double weight, Out grad, Want) override {
    const Index k = settings_.rank;
    const double precision = 1 / (settings_.noise_sd * settings_.noise_sd);
    double logp = 0;
    for (const Index id : ids) {
      const Rating& one = ratings_[static_cast<std::size_t>(id)];
      const auto w = x.segment(one.user * k, k), h = x.segment((users_ + one.item) * k, k);
      const double e = one.value - w.dot(h);
      logp -= weight * precision / 2 * e * e;
      grad.segment(one.user * k, k) += weight * precision * e * h;
      grad.segment((users_ + one.item) * k, k) += weight * precision * e * w;
    }
    return {logp};
  }

  const BlockedFactorizationSettings& settings() const override { return settings_; }
  std::shared_ptr<const RatingBlocks> load_blocks(Exchange& exchange) const override {
    auto made = std::make_shared<RatingBlocks>();
    made->users = side(users_);
    made->items = side(items_);
    made->share = share_of(exchange.rank(), exchange.size(), settings_.blocks);
    made->largest = {largest(&Rating::user), largest(&Rating::item)};
    for (Index b = 0; b < settings_.blocks; ++b) {
      for (Index c = 0; c < settings_.blocks; ++c) {
        RatingBlock block = cut(made->users, made->items, b, c);
        made->counts.push_back(std::ssize(block.value));
        if (made->share.has(b)) made->own.push_back(std::move(block));
      }
    }
    return made;
  }

 private:
  BlockedSide side(Index rows) const {
    BlockedSide made;
    for (Index block = 0; block <= settings_.blocks; ++block) made.begin.push_back(block * rows / settings_.blocks);
    for (Index place = 0; place < rows; ++place) made.at.push_back(static_cast<std::int32_t>(row_at(place, rows)));
    return made;
  }
  std::int64_t largest(Index Rating::*row) const {
    std::vector<std::int64_t> counts(static_cast<std::size_t>(std::max(users_, items_)));
    for (const Rating& one : ratings_) ++counts[static_cast<std::size_t>(one.*row)];
    return *std::max_element(counts.begin(), counts.end());
  }
  RatingBlock cut(const BlockedSide& by_user, const BlockedSide& by_item, Index b, Index c) const {
    const auto at = [](Index i) { return static_cast<std::size_t>(i); };
    RatingBlock block{{0}, {}, {}};
    for (Index i = by_user.begin[at(b)]; i < by_user.begin[at(b + 1)]; ++i) {
      for (Index j = by_item.begin[at(c)]; j < by_item.begin[at(c + 1)]; ++j) {
        for (const Rating& one : ratings_) {
          if (one.user != by_user.at[at(i)] || one.item != by_item.at[at(j)]) continue;
          block.item.push_back(static_cast<std::uint32_t>(j - by_item.begin[at(c)]));
          block.value.push_back(one.value);
        }
      }
      block.begin.push_back(static_cast<std::uint32_t>(block.item.size()));
    }
    return block;
  }

  Index users_, items_;
  BlockedFactorizationSettings settings_;
  std::vector<Rating> ratings_;
};

}  // namespace quasar::test
