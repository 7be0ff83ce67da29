// Ratings: the observed entries of a matrix of users and items, as a factorization is fitted to them.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <quasar/config.hpp>
#include <quasar/core.hpp>
#include <quasar/table.hpp>

namespace quasar {

struct Rating {  // one fetch from memory for a minibatch in random order
  std::int32_t user, item;
  double value;  // (rating - center) / scale
};

// One side's ratings, row after row: what Gibbs steps go through.
struct RatingsOfRows {
  std::vector<Index> begin;         // of each row, and the end of the last
  std::vector<std::int32_t> other;  // the row of the other side
  std::vector<double> value;
  Index rows() const { return std::ssize(begin) - 1; }
};

struct RatedLabels {
  std::vector<std::string> users, items;          // numbers in their order where all are numbers, else by the alphabet
  std::string user_name, item_name, rating_name;  // of the columns

  // Enough to predict from draws alone. coords "user" and "item": the labels; variables user_ratings[user] and
  // item_ratings[item]: how many ratings each has (-1: nobody has counted them); center, scale; attributes: the names
  // of the columns.
  ConstantData constants(const Vec& user_ratings, const Vec& item_ratings, double center, double scale) const;
};

struct Ratings : RatedLabels {
  std::vector<Rating> all = {};  // in the order of the file
  RatingsOfRows by_user = {}, by_item = {};
  double center = 0, scale = 1;

  ConstantData constant_data() const;
};

void sort_by_rows(Ratings& ratings);  // makes by_user and by_item of all

struct RatingColumns {  // places in a table
  Index user, item, rating;
};
// By the parameters user, item and rating of a model; empty ones: columns of these names, or else the first, second and
// third.
std::string row_text(const Table& table, Index row);  // for messages: "line 7", or "row 6" where there are no lines

RatingColumns rating_columns(const Table& table, const Config& config);

// Labels and ratings as they stand in the table, of each pair what model.duplicates says; not rescaled, not sorted by
// rows. DataError: no ratings, a pair that is rated twice, ...
Ratings settled_ratings(const Table& table, const Config& config);

struct RatingRange {
  double low, high;
};
// DataError: (rating - center) / scale cannot be computed with in double precision.
void require_computable(const RatingRange& ratings, double center, double scale, const std::string& source);

// DataError: no ratings, a pair that is rated twice (unless model.duplicates says what to do), ...
std::shared_ptr<const Ratings> make_ratings(const Table& table, const Config& config);

}  // namespace quasar
