#include "models/factorization/newcomers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <utility>

#include <quasar/errors.hpp>

#include "core/labels.hpp"
#include "models/factorization/ratings.hpp"

namespace quasar {
namespace {

[[noreturn]] void refuse_row(const Table& table, Index row, const std::string& cause) {
  if (table.lines.empty()) throw DataError(fmt::format("{}: row {}: {}", table.source, row + 1, cause));
  throw DataError(fmt::format("{}:{}: {}", table.source, table.lines[static_cast<std::size_t>(row)], cause));
}

Index find(const std::vector<std::string>& names, const std::string& name, Index otherwise) {
  const auto found = std::find(names.begin(), names.end(), name);
  return found == names.end() ? otherwise : found - names.begin();
}

}  // namespace

Index Newcomers::place_of(const std::string& label) {
  const auto [found, is_new] = places_.emplace(label, size());
  if (is_new) all_.push_back({label});
  return found->second;
}

std::optional<Index> Newcomers::find(const std::string& label) const {
  const auto found = places_.find(label);
  return found == places_.end() ? std::nullopt : std::optional(found->second);
}

std::optional<Index> KnownAndNew::find(const KeptSide& side, const Newcomers& newcomers, const std::string& label) {
  if (const auto known = side.find(label)) return known;
  const auto place = newcomers.find(label);
  return place ? std::optional(std::ssize(side.labels) + *place) : std::nullopt;
}

Index KnownAndNew::place(const KeptSide& side, Newcomers& newcomers, const std::string& label) {
  if (const auto known = side.find(label)) return *known;
  return std::ssize(side.labels) + newcomers.place_of(label);
}

// Where both sides were fitted, or both are new, a rating tells nothing that could be used.
void KnownAndNew::require_one_newcomer(const Table& ratings, Index row, const std::string& user,
                                       const std::string& item) const {
  const bool known_user = kept.users.find(user).has_value(), known_item = kept.items.find(item).has_value();
  if (known_user && known_item) {
    refuse_row(
        ratings, row,
        fmt::format("user '{}' and item '{}' were fitted already: what they are rated belongs to the data of the "
                    "run, which has to be sampled again",
                    user, item));
  }
  if (!known_user && !known_item) {
    refuse_row(ratings, row,
               fmt::format("user '{}' and item '{}' are both new: a rating tells of one of them only if the other was "
                           "fitted",
                           user, item));
  }
}

// As it was fitted: (rating - center) / scale. Squares of what is far larger than all ratings that were fitted
// overflow.
double KnownAndNew::scaled(const Table& ratings, Index row, double rating) const {
  constexpr double largest = 1e100;
  if (std::isnan(rating)) refuse_row(ratings, row, "the rating is missing");
  const double value = (rating - kept.center) / kept.scale;
  if (!(std::abs(value) <= largest)) {
    refuse_row(ratings, row,
               fmt::format("the rating {} is too large: those that were fitted are around {}", rating, kept.center));
  }
  return value;
}

void KnownAndNew::fold_in(const Table& ratings, const std::string& duplicates) {
  struct Earlier {
    std::size_t place;  // among the ratings of the newcomer
    Index row, count = 1;
  };
  const PairColumns columns(ratings, kept.columns);
  if (columns.rating < 0) {
    throw DataError(
        fmt::format("{}: has no ratings: their column is not there, or all of them are missing", ratings.source));
  }
  std::map<std::pair<std::string, std::string>, Earlier> pairs;
  for (Index row = 0; row < ratings.rows(); ++row) {
    const std::string user = label_at(ratings, row, columns.user), item = label_at(ratings, row, columns.item);
    require_one_newcomer(ratings, row, user, item);
    const auto known_item = kept.items.find(item);
    Newcomer& newcomer = known_item ? new_users[new_users.place_of(user)] : new_items[new_items.place_of(item)];
    const double value = scaled(ratings, row, ratings.values(row, columns.rating));
    const auto found = pairs.find({user, item});
    if (found == pairs.end() || duplicates == "keep") {
      pairs.insert({{user, item}, {newcomer.value.size(), row}});
      newcomer.other.push_back(static_cast<std::int32_t>(known_item ? *known_item : *kept.users.find(user)));
      newcomer.value.push_back(value);
      continue;
    }
    Earlier& earlier = found->second;
    if (duplicates == "error") {
      refuse_row(ratings, row,
                 fmt::format("user '{}' has rated item '{}' before, at {}: keep one of the two, or set "
                             "model.duplicates=last or mean when fitting, which holds here too",
                             user, item, row_text(ratings, earlier.row)));
    }
    double& merged = newcomer.value[earlier.place];
    merged = duplicates == "mean" ? merged + (value - merged) / static_cast<double>(++earlier.count) : value;
  }
}

PairColumns::PairColumns(const Table& table, const KeptColumns& names)
    : user(find(table.names, names.user, 0)),
      item(find(table.names, names.item, 1)),
      rating(find(table.names, names.rating, table.columns() > 2 ? 2 : -1)) {
  if (table.columns() < 2) throw DataError(fmt::format("{}: user and item are two columns", table.source));
}

std::string label_at(const Table& table, Index row, Index column) {
  const double value = table.values(row, column);
  if (!table.has_labels(column)) return number_label(value);
  return table.levels[static_cast<std::size_t>(column)][static_cast<std::size_t>(value)];
}

}  // namespace quasar
