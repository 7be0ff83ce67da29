// Whom a run of ratings can recommend what, and how good that is.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include <quasar/config.hpp>
#include <quasar/run_data.hpp>
#include <quasar/table.hpp>

#include "front/predict.hpp"
#include "models/factorization/newcomers.hpp"
#include "predict/posterior_predictions.hpp"
#include "predict/ranking_scores.hpp"
#include "predict/recommend.hpp"

namespace quasar {

struct RecommendFiles {     // empty: not given
  std::string user, users;  // a label; a file with one in each line
  std::string fold_in;      // ratings of new users, and of new items, which are candidates then
  std::string rated;        // ratings whose pairs are left out
  std::string items;        // a file with the labels of the only candidates
  std::string evaluate;     // ratings by which recommendations are judged
};

struct NamedLabel {
  std::string label;
  std::string where = {};  // for messages: "file:line: "
};

struct RecommendRequest {  // what those files hold, or a program has in memory
  std::vector<NamedLabel> users = {};
  std::optional<std::vector<NamedLabel>> items = {};
  std::optional<Table> fold_in = {}, rated = {}, evaluate = {};  // columns: user, item, rating
  double relevant = 4;                                           // the least rating of an item that a user likes
};

struct Relevant {
  std::unordered_set<Index> items;
  Index out_of_reach = 0;  // items that were not fitted or are no candidates
};

struct Recommender {
  std::shared_ptr<const KnownAndNew> rows;
  std::unique_ptr<ItemScores> scores;
  RecommendedFor wanted;
  std::unordered_map<Index, Relevant> relevant = {};  // by user, of a file that judges
  Index users_not_fitted = 0;                         // likewise: such users are left out
  std::vector<std::string> notes = {};                // for the user

  const std::string& user_label(Index user) const;
  const std::string& item_label(Index item) const;
};

// The model of a run that has ratings. UsageError: it has none, or predicts nothing. DataError: as fitted_model
FittedModel model_of_ratings(const Run& run, const std::string& run_name);

RecommendRequest read_request(const RecommendFiles& files, const ConstantData& kept);  // DataError
// DataError: a user or an item is not known, or there is nobody to recommend to.
Recommender make_recommender(const FittedModel& model, const ConstantData& kept, const RecommendRequest& request);

std::span<const ParamSpec> recommend_params();
RecommendSettings recommend_settings(const Config& config);

struct RecommendationScores {
  RankingScores ranking;      // of the lists
  PredictionSummary ratings;  // of the file that judges

  // precision@10, recall@10, ndcg@10, and those of the ratings
  std::vector<std::pair<std::string, double>> named(Index top) const;
};
// ratings: those that the recommender was made to be judged by.
RecommendationScores judge(const Run& run, const Recommender& recommender, const Predictor& ratings,
                           const RecommendSettings& settings);

}  // namespace quasar
