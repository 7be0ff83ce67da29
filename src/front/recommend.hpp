// Whom a run of ratings can recommend what, by the files that a user names.
#pragma once

#include <memory>
#include <string>
#include <unordered_map>
#include <unordered_set>

#include <quasar/run_data.hpp>

#include "models/factorization/newcomers.hpp"
#include "predict/recommend.hpp"

namespace quasar {

struct RecommendRequest {   // empty: not given
  std::string user, users;  // a label; a file with one in each line
  std::string fold_in;      // ratings of new users
  std::string rated;        // ratings whose pairs are left out
  std::string items;        // a file with the labels of the only candidates
  std::string evaluate;     // ratings by which recommendations are judged
  double relevant = 4;      // the least rating of an item that a user likes
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

  const std::string& user_label(Index user) const;
  const std::string& item_label(Index item) const;
};

// UsageError: the model knows no ratings, or nobody is named. DataError: a file is wrong, or a user or item is unknown.
Recommender make_recommender(const Run& run, const std::string& run_name, const RecommendRequest& request);

}  // namespace quasar
