// The ratings of MovieLens-1M, and how methods that factorise them are run and judged: one part of the ratings is
// predicted from the others.
#pragma once

#include <nlohmann/json.hpp>

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include <quasar/chain.hpp>
#include <quasar/registry.hpp>
#include <quasar/scores.hpp>
#include <quasar/table.hpp>

namespace quasar {

// user, item, rating: movielens-1m/ratings.csv.gz of the data folder. UsageError, DataError
Table read_movielens(const std::string& data_dir);

struct RatingSplit {
  Table train, test;
};
// Part `part` of `parts` random parts of equal size is the test. DataError: too few ratings
RatingSplit split_ratings(const Table& ratings, Index parts, Index part, std::uint64_t seed);
// The first `count` of `parts` such splits: no rating is in two tests.
std::vector<RatingSplit> rating_folds(const Table& ratings, Index parts, Index count, std::uint64_t seed);

struct RatingMethod {
  const char* sampler;
  Settings model, settings;
  Schedule schedule;     // predictions of the draws that are kept are averaged
  bool averages = true;  // false: an optimiser, which is where it is
  Vec mode = {};         // of the rows: chains and members start around it; empty: as the model draws them
  std::int64_t gradients = std::numeric_limits<std::int64_t>::max();  // the chain ends after so many
  const char* factorization = "bpmf";                                 // the model's name
  int chains = 1;  // take turns after each iteration; the predictions of all are averaged
};

struct RatingOutcome {                    // in stars
  std::vector<double> rmse, single_rmse;  // after each draw: of the averaged prediction, and of that draw's
  double mae = Scores::none, coverage_90 = Scores::none;  // of the average at the end; NaN: too few draws for it
  double seconds = 0;                                     // of a processor, without what predictions took
  std::int64_t iterations = 0, gradients = 0;
  bool diverged = false;  // stopped, or ended with predictions worse than the mean of the training ratings
};
void to_json(nlohmann::json& json, const RatingOutcome& outcome);
void from_json(const nlohmann::json& json, RatingOutcome& outcome);

RatingOutcome run_on_ratings(const RatingSplit& split, const RatingMethod& method, std::uint64_t seed);

struct RatingMode {
  Vec x;
  double rmse;
  std::int64_t gradients;
};
RatingMode mode_of_ratings(const RatingSplit& split, const Settings& settings, std::int64_t gradients,
                           std::uint64_t seed);

std::string describe(const Settings& model, const Settings& sampler = {});
// All that the outcome depends on.
std::string describe(const RatingSplit& split, const RatingMethod& method, std::uint64_t seed);

}  // namespace quasar
