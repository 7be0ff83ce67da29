#include "models/factorization/ratings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>
#include <span>

#include <quasar/errors.hpp>

#include "core/labels.hpp"
#include "core/place.hpp"
#include "models/regression/column_choice.hpp"
#include "models/regression/columns.hpp"
#include "models/regression/levels.hpp"

namespace quasar {

namespace {

constexpr Index most_labels = std::numeric_limits<std::int32_t>::max();

std::vector<double> values_of(const Table& table, Index column) {
  std::vector<double> values;
  values.reserve(at(table.rows()));
  first_row(table, column, [&](double value) {
    values.push_back(value);
    return false;
  });
  return values;
}

// Numbers in their order where all are numbers, else by the alphabet.
void sort_by_labels(std::vector<Index>& order, const std::vector<std::string>& labels) {
  std::vector<double> numbers(labels.size());
  bool all_numbers = true;
  for (const Index i : order) {
    const auto number = number_in(labels[at(i)]);
    all_numbers = all_numbers && number.has_value();
    numbers[at(i)] = number.value_or(0);
  }
  std::ranges::sort(order, [&](Index a, Index b) {
    if (all_numbers && numbers[at(a)] != numbers[at(b)]) return numbers[at(a)] < numbers[at(b)];
    return labels[at(a)] < labels[at(b)];
  });
}

struct Labelled {
  std::vector<std::string> labels;  // those that occur
  std::vector<std::int32_t> rows;   // of each rating, the place of its label
};

Labelled labelled(const Table& table, Index column) {
  const Levels levels = levels_of(table, column, most_labels);
  const std::vector<double> values = values_of(table, column);
  const auto level_of = [&](double value) {
    return std::ranges::lower_bound(levels.values, value) - levels.values.begin();
  };
  std::vector<std::int32_t> place(levels.labels.size(), -1);
  for (const double value : values) place[at(level_of(value))] = 0;
  std::vector<Index> order;
  for (Index level = 0; level < std::ssize(place); ++level) {
    if (place[at(level)] == 0) order.push_back(level);
  }
  sort_by_labels(order, levels.labels);
  Labelled result;
  for (const Index level : order) {
    place[at(level)] = static_cast<std::int32_t>(result.labels.size());
    result.labels.push_back(levels.labels[at(level)]);
  }
  result.rows.reserve(values.size());
  for (const double value : values) result.rows.push_back(place[at(level_of(value))]);
  return result;
}

// The places of the ratings of each row, row after row, in the order of the file (a counting sort).
struct Places {
  std::vector<Index> begin, rating;
};

template <class RowOf>
Places places_by_row(const std::vector<Rating>& ratings, std::size_t rows, RowOf row_of) {
  Places places{std::vector<Index>(rows + 1, 0), std::vector<Index>(ratings.size())};
  for (const Rating& one : ratings) ++places.begin[at(row_of(one)) + 1];
  std::partial_sum(places.begin.begin(), places.begin.end(), places.begin.begin());
  std::vector<Index> next(places.begin.begin(), places.begin.end() - 1);
  for (Index i = 0; i < std::ssize(ratings); ++i) places.rating[at(next[at(row_of(ratings[at(i)]))]++)] = i;
  return places;
}

std::int32_t user_of(const Rating& one) { return one.user; }
std::int32_t item_of(const Rating& one) { return one.item; }

template <class RowOf, class OtherOf>
RatingsOfRows ratings_of_rows(const std::vector<Rating>& ratings, std::size_t rows, RowOf row_of, OtherOf other_of) {
  const Places places = places_by_row(ratings, rows, row_of);
  RatingsOfRows result{places.begin, {}, {}};
  result.other.reserve(ratings.size()), result.value.reserve(ratings.size());
  for (const Index i : places.rating) {
    result.other.push_back(other_of(ratings[at(i)]));
    result.value.push_back(ratings[at(i)].value);
  }
  return result;
}

// Of each rating the place of the one before it of the same pair, or -1.
std::vector<Index> earlier_of_pair(const Ratings& ratings) {
  const Places places = places_by_row(ratings.all, ratings.users.size(), user_of);
  std::vector<Index> earlier(ratings.all.size(), -1), last(ratings.items.size(), -1);
  for (std::size_t user = 0; user < ratings.users.size(); ++user) {
    for (Index k = places.begin[user]; k < places.begin[user + 1]; ++k) {
      const Index i = places.rating[at(k)];
      Index& before = last[at(ratings.all[at(i)].item)];
      if (before >= 0 && ratings.all[at(before)].user == static_cast<std::int32_t>(user)) earlier[at(i)] = before;
      before = i;
    }
  }
  return earlier;
}

[[noreturn]] void fail_at_duplicate(const Table& table, Index user_column, const Ratings& ratings, Index row,
                                    Index before) {
  const Rating& one = ratings.all[at(row)];
  throw DataError(fmt::format(
      "{}{} '{}' has rated {} '{}' before, at {}: set model.duplicates=last for the last rating of a pair, mean for "
      "their mean, keep for all of them",
      location(table, row, user_column), ratings.user_name, ratings.users[at(one.user)], ratings.item_name,
      ratings.items[at(one.item)], row_text(table, before)));
}

// One rating for each pair: the last, or the mean of all of them at the place of the first.
void merge_duplicates(std::vector<Rating>& ratings, const std::vector<Index>& earlier, bool to_mean) {
  std::vector<bool> dropped(ratings.size(), false);
  if (!to_mean) {
    for (const Index before : earlier) {
      if (before >= 0) dropped[at(before)] = true;
    }
  } else {
    std::vector<Index> first(ratings.size()), count(ratings.size(), 1);
    for (std::size_t i = 0; i < ratings.size(); ++i) {
      first[i] = earlier[i] < 0 ? static_cast<Index>(i) : first[at(earlier[i])];
      if (earlier[i] < 0) continue;
      dropped[i] = true;
      Rating& mean = ratings[at(first[i])];
      mean.value += (ratings[i].value - mean.value) / static_cast<double>(++count[at(first[i])]);
    }
  }
  std::size_t kept = 0;
  for (std::size_t i = 0; i < ratings.size(); ++i) {
    if (!dropped[i]) ratings[kept++] = ratings[i];
  }
  ratings.resize(kept);
}

void settle_duplicates(const Table& table, const RatingColumns& columns, const std::string& how, Ratings& ratings) {
  if (how == "keep") return;
  const std::vector<Index> earlier = earlier_of_pair(ratings);
  const auto found = std::ranges::find_if(earlier, [](Index before) { return before >= 0; });
  if (found == earlier.end()) return;
  if (how == "error") fail_at_duplicate(table, columns.user, ratings, found - earlier.begin(), *found);
  merge_duplicates(ratings.all, earlier, how == "mean");
}

// The values become (rating - center) / scale. DataError: they cannot, in double precision.
void rescale(Ratings& ratings, const std::string& scaling, const std::string& source) {
  const auto count = static_cast<double>(ratings.all.size());
  double sum = 0, squares = 0;
  double low = ratings.all.front().value, high = low;
  for (const Rating& one : ratings.all) {
    sum += one.value;
    low = std::min(low, one.value), high = std::max(high, one.value);
  }
  ratings.center = sum / count;
  for (const Rating& one : ratings.all) squares += std::pow(one.value - ratings.center, 2);
  if (scaling == "range") ratings.scale = high - low;
  if (scaling == "standardize") ratings.scale = std::sqrt(squares / count);
  if (low == high) ratings.scale = 1;
  require_computable({low, high}, ratings.center, ratings.scale, source);
  for (Rating& one : ratings.all) one.value = (one.value - ratings.center) / ratings.scale;
}

Vec counts(const RatingsOfRows& rows) {
  Vec result(rows.rows());
  for (Index row = 0; row < rows.rows(); ++row) {
    result[row] = static_cast<double>(rows.begin[at(row + 1)] - rows.begin[at(row)]);
  }
  return result;
}

}  // namespace

std::string row_text(const Table& table, Index row) {
  return table.lines.empty() ? fmt::format("row {}", row + 1) : fmt::format("line {}", table.lines[at(row)]);
}

ConstantData RatedLabels::constants(const Vec& user_ratings, const Vec& item_ratings, double center,
                                    double scale) const {
  ConstantData kept;
  kept.layout = {{{"user_ratings", {std::ssize(users)}, {"user"}},
                  {"item_ratings", {std::ssize(items)}, {"item"}},
                  {"center", {}, {}},
                  {"scale", {}, {}}},
                 {{"user", users}, {"item", items}}};
  kept.values.resize(kept.layout.size());
  kept.values << user_ratings, item_ratings, center, scale;
  kept.attributes = {{"user_column", user_name}, {"item_column", item_name}, {"rating_column", rating_name}};
  return kept;
}

ConstantData Ratings::constant_data() const { return constants(counts(by_user), counts(by_item), center, scale); }

void require_computable(const RatingRange& ratings, double center, double scale, const std::string& source) {
  constexpr double largest = 1e100;  // squares of what is larger overflow
  const double far = std::max(ratings.high - center, center - ratings.low) / scale;
  if (std::isfinite(center) && std::isfinite(scale) && scale > 0 && far <= largest) return;
  throw DataError(fmt::format(
      "{}: ratings from {} to {} are too large or too close together for numbers of double precision; measure them "
      "in another unit",
      source, ratings.low, ratings.high));
}

void sort_by_rows(Ratings& ratings) {
  ratings.by_user = ratings_of_rows(ratings.all, ratings.users.size(), user_of, item_of);
  ratings.by_item = ratings_of_rows(ratings.all, ratings.items.size(), item_of, user_of);
}

RatingColumns rating_columns(const Table& table, const Config& config) {
  if (table.columns() < 3) {
    throw DataError(table.source + ": ratings need three columns: user, item and rating");
  }
  const auto column = [&](const char* parameter, Index otherwise) {
    const std::string& name = config.text(parameter);
    if (!name.empty()) return find_column(table.source, table.names, name);
    const auto usual = std::ranges::find(table.names, parameter);
    return usual == table.names.end() ? otherwise : Index{usual - table.names.begin()};
  };
  const RatingColumns columns{column("user", 0), column("item", 1), column("rating", 2)};
  if (columns.user == columns.item || columns.user == columns.rating || columns.item == columns.rating) {
    throw UsageError(
        "model.user, model.item and model.rating must be three different columns; one that is not given is called "
        "user, item or rating, or is the first, the second or the third");
  }
  const auto name = [&](Index place) -> const std::string& { return table.names[at(place)]; };
  if (name(columns.user) == name(columns.item) || name(columns.user) == name(columns.rating) ||
      name(columns.item) == name(columns.rating)) {
    throw DataError(table.source + ": two columns have one name: new ratings could not be told by it");
  }
  return columns;
}

Ratings settled_ratings(const Table& table, const Config& config) {
  require_rows(table);
  const RatingColumns columns = rating_columns(table, config);
  require_numbers(table, columns.rating);
  Ratings ratings;
  ratings.user_name = table.names[at(columns.user)];
  ratings.item_name = table.names[at(columns.item)];
  ratings.rating_name = table.names[at(columns.rating)];

  Labelled users = labelled(table, columns.user), items = labelled(table, columns.item);
  ratings.users = std::move(users.labels);
  ratings.items = std::move(items.labels);
  const std::vector<double> values = values_of(table, columns.rating);
  ratings.all.reserve(values.size());
  for (std::size_t i = 0; i < values.size(); ++i) ratings.all.push_back({users.rows[i], items.rows[i], values[i]});

  settle_duplicates(table, columns, config.text("duplicates"), ratings);
  return ratings;
}

std::shared_ptr<const Ratings> make_ratings(const Table& table, const Config& config) {
  auto ratings = std::make_shared<Ratings>(settled_ratings(table, config));
  rescale(*ratings, config.text("scaling"), table.source);
  sort_by_rows(*ratings);
  return ratings;
}

}  // namespace quasar
