#include "models/factorization/newcomers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include <quasar/errors.hpp>

#include "core/labels.hpp"

namespace quasar {
namespace {

[[noreturn]] void refuse(const Table& table, Index row, const std::string& cause) {
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

Index KnownAndNew::place(const KeptSide& side, Newcomers& newcomers, const std::string& label) {
  if (const auto known = side.find(label)) return *known;
  return std::ssize(side.labels) + newcomers.place_of(label);
}

void KnownAndNew::fold_in(const Table& ratings) {
  const PairColumns columns(ratings, kept.columns);
  if (columns.rating < 0) throw DataError(fmt::format("{}: has no column of ratings", ratings.source));
  for (Index row = 0; row < ratings.rows(); ++row) {
    const std::string user_label = label_at(ratings, row, columns.user);
    const std::string item_label = label_at(ratings, row, columns.item);
    const auto known_user = kept.users.find(user_label), known_item = kept.items.find(item_label);
    if (known_user && known_item) {
      refuse(ratings, row,
             fmt::format("user '{}' and item '{}' were fitted already: what they are rated belongs to the data of the "
                         "run, which has to be sampled again",
                         user_label, item_label));
    }
    if (!known_user && !known_item) {
      refuse(ratings, row,
             fmt::format("user '{}' and item '{}' are both new: a rating tells of one of them only if the other was "
                         "fitted",
                         user_label, item_label));
    }
    Newcomer& newcomer =
        known_item ? new_users[new_users.place_of(user_label)] : new_items[new_items.place_of(item_label)];
    const auto other = static_cast<std::int32_t>(known_item ? *known_item : *known_user);
    if (std::find(newcomer.other.begin(), newcomer.other.end(), other) != newcomer.other.end()) {
      refuse(ratings, row, fmt::format("user '{}' has rated item '{}' before", user_label, item_label));
    }
    const double rating = ratings.values(row, columns.rating);
    if (!std::isfinite(rating)) refuse(ratings, row, "the rating is missing");
    newcomer.other.push_back(other);
    newcomer.value.push_back((rating - kept.center) / kept.scale);
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
