// The best items for each user by the draws of a run, with their uncertainty.
//
// Mean, sd and interval are those of the expected rating over the draws: what is not known of a user's taste. The noise
// of a single rating is the same for all items and tells nothing of their order. The probability of an item is the
// share of draws under which it is among the n candidates with the highest expected ratings.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include <quasar/core.hpp>
#include <quasar/rng.hpp>
#include <quasar/run_data.hpp>

namespace quasar {

// Not thread-safe, so every thread has a fork.
struct ItemScores {
  virtual ~ItemScores() = default;
  virtual std::unique_ptr<ItemScores> fork() const = 0;
  virtual Index items() const = 0;
  virtual void take(std::span<const double> draw, const Rng& rng) = 0;  // the draw stays where it is meanwhile
  virtual void score(Index user, Out out) = 0;       // the expected rating of every item given the draw
  virtual double score(Index user, Index item) = 0;  // of one
};

enum class RankBy { mean, lower, upper, probability };

struct RecommendSettings {
  Index top = 10;
  RankBy rank_by = RankBy::mean;
  double interval = 0.9;  // the level of the central interval
  Index most_draws = 0;   // of all chains together, evenly spread; 0: all
  std::uint64_t seed = 1;
  int threads = 0;                      // 0: one per core. Recommendations do not depend on it
  Index most_bytes = Index{256} << 20;  // of scores in memory. Nor on this
};

struct Recommended {
  Index item;
  double mean, sd, lower, upper, probability;
};

struct RecommendedFor {
  std::vector<Index> users;
  std::function<std::vector<Index>(Index user)> candidates;  // items
};

// use(user, best items first) in the order of the users; returns how many draws were used. Beside a few draws,
// memory is bounded: users are taken so many at a time, and each time the draws are read twice, or more often where
// even one user's scores are too many.
Index recommend(const DrawSource& draws, Index values, const ItemScores& scores, const RecommendedFor& wanted,
                const RecommendSettings& settings,
                const std::function<void(Index user, std::span<const Recommended>)>& use);

}  // namespace quasar
