#include "models/factorization/sorted_ratings.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <tuple>
#include <utility>

#include <quasar/errors.hpp>

#include "core/column_summaries.hpp"
#include "core/fixed_order.hpp"
#include "models/regression/columns.hpp"

namespace quasar {

namespace {

constexpr Index columns = 3, piece_rows = 1 << 15;

class InMemory final : public RowSource {
 public:
  explicit InMemory(std::vector<Rating> all) : all_(std::move(all)) {}
  Index rows() const override { return std::ssize(all_); }
  void read(Index begin, Index count, double* to) const override {
    for (const Rating& one :
         std::span(all_).subspan(static_cast<std::size_t>(begin), static_cast<std::size_t>(count))) {
      *to++ = one.user, *to++ = one.item, *to++ = one.value;
    }
  }
  void announce(Index, Index) const override {}

 private:
  std::vector<Rating> all_;
};

ColumnSummary summary_of_ratings(const RowSource& rows) {
  Table table;
  table.names.resize(columns);
  table.stored = std::shared_ptr<const RowSource>(std::shared_ptr<void>(), &rows);
  return column_summaries(table)[2];
}

SortedRatings from_memory(const Table& table, const Config& config) {
  Ratings ratings = settled_ratings(table, config);
  sort_by_places(ratings);
  SortedRatings sorted{static_cast<RatedLabels&&>(ratings)};
  sorted.rows = std::make_shared<InMemory>(std::move(ratings.all));
  const ColumnSummary summary = summary_of_ratings(*sorted.rows);
  sorted.range = {summary.min, summary.max};
  sorted.mean = summary.mean;
  return sorted;
}

SortedRatings from_store(const Table& table, const Config& config) {
  if (table.columns() != columns || !table.has_labels(0) || !table.has_labels(1) || table.has_labels(2) ||
      table.summaries.size() != columns) {
    throw DataError(fmt::format("{}: does not hold ratings: users, items and ratings, sorted", table.source));
  }
  const RatingColumns asked = rating_columns(table, config);
  if (asked.user != 0 || asked.item != 1 || asked.rating != 2) {
    throw UsageError(
        fmt::format("{}: the users are in the column '{}', the items in '{}', the ratings in '{}': leave "
                    "model.user, model.item and model.rating out",
                    table.source, table.names[0], table.names[1], table.names[2]));
  }
  SortedRatings sorted{{table.levels[0], table.levels[1], table.names[0], table.names[1], table.names[2]}};
  sorted.rows = table.stored;
  sorted.range = {table.summaries[2].min, table.summaries[2].max};
  sorted.mean = table.summaries[2].mean;
  sorted.stored = true;
  return sorted;
}

}  // namespace

SortedRatings sorted_ratings(const Table& table, const Config& config) {
  require_rows(table);
  SortedRatings sorted = table.stored ? from_store(table, config) : from_memory(table, config);
  sorted.source = table.source;
  sorted.unique = config.text("duplicates") != "keep";
  return sorted;
}

void sort_by_places(Ratings& ratings) {
  const std::vector<std::int32_t> users = places_in(numbers_by_place(ratings.users.size()));
  const std::vector<std::int32_t> items = places_in(numbers_by_place(ratings.items.size()));
  const auto key = [&](const Rating& one) {
    return std::tuple(users[static_cast<std::size_t>(one.user)], items[static_cast<std::size_t>(one.item)], one.value);
  };
  std::ranges::sort(ratings.all, [&](const Rating& a, const Rating& b) { return key(a) < key(b); });
}

std::vector<std::int32_t> numbers_by_place(std::size_t labels) {
  const std::vector<Index> order = fixed_order(static_cast<Index>(labels));
  return {order.begin(), order.end()};
}

std::vector<std::int32_t> places_in(const std::vector<std::int32_t>& order) {
  std::vector<std::int32_t> places(order.size());
  for (std::size_t place = 0; place < order.size(); ++place) {
    places[static_cast<std::size_t>(order[place])] = static_cast<std::int32_t>(place);
  }
  return places;
}

Rating SortedRatings::at(Index row) const {
  std::vector<Rating> one;
  read(row, row + 1, one);
  return one.front();
}

void SortedRatings::read(Index begin, Index end, std::vector<Rating>& piece) const {
  const Index count = std::min(piece_rows, end - begin);
  std::vector<double> values(static_cast<std::size_t>(columns * count));
  rows->read(begin, count, values.data());
  if (begin + count < end) rows->announce(begin + count, std::min(piece_rows, end - begin - count));
  const auto is_label = [](double number, std::size_t labels) {
    return number >= 0 && number < static_cast<double>(labels);
  };
  piece.clear();
  for (Index i = 0; i < count; ++i) {
    const double* row = values.data() + columns * i;
    if (!is_label(row[0], users.size()) || !is_label(row[1], items.size()) || !std::isfinite(row[2])) {
      throw DataError(fmt::format("{}: rating {} is damaged: user {}, item {}, rating {}", source, begin + i + 1,
                                  row[0], row[1], row[2]));
    }
    piece.push_back({static_cast<std::int32_t>(row[0]), static_cast<std::int32_t>(row[1]), row[2]});
  }
}

void SortedRatings::fail_at_duplicate(const Rating& one) const {
  throw DataError(
      fmt::format("{}: {} '{}' has rated {} '{}' twice: set model.duplicates=keep for both ratings, or "
                  "pack the ratings without one of them",
                  source, user_name, users[static_cast<std::size_t>(one.user)], item_name,
                  items[static_cast<std::size_t>(one.item)]));
}

namespace {

template <class RowOf>
Vec counts_of(const SortedRatings& ratings, std::size_t labels, RowOf row_of) {
  const auto count = static_cast<Index>(labels);
  if (ratings.stored) return Vec::Constant(count, -1);
  Vec counts = Vec::Zero(count);
  ratings.each(0, ratings.size(), [&](const Rating& one) { ++counts[row_of(one)]; });
  return counts;
}

}  // namespace

Vec SortedRatings::counts_of_users() const {
  return counts_of(*this, users.size(), [](const Rating& one) { return one.user; });
}
Vec SortedRatings::counts_of_items() const {
  return counts_of(*this, items.size(), [](const Rating& one) { return one.item; });
}

}  // namespace quasar
