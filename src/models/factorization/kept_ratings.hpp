// What a factorization keeps of its ratings with the draws (Ratings::constant_data), read back: enough to predict.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include <quasar/core.hpp>

namespace quasar {

struct KeptColumns {  // names
  std::string user, item, rating;
};
std::optional<KeptColumns> rating_columns_in(const ConstantData& kept);  // nullopt: of another model

struct KeptSide {  // users, or items
  std::vector<std::string> labels;
  std::vector<double> ratings;  // how many each has; -1: nobody has counted them
  std::optional<Index> find(const std::string& label) const;

  std::unordered_map<std::string_view, Index> places;
};

struct KeptRatings {
  KeptColumns columns;
  KeptSide users, items;
  double center = 0, scale = 1;

  explicit KeptRatings(const ConstantData& kept);  // DataError: they are not there
  KeptRatings(const KeptRatings&) = delete;        // places point into labels
  KeptRatings& operator=(const KeptRatings&) = delete;
};

}  // namespace quasar
