#include "models/regression/levels.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <unordered_map>

#include <quasar/errors.hpp>

#include "core/labels.hpp"
#include "models/regression/columns.hpp"

namespace quasar {

Levels levels_of(const Table& table, Index column, Index most) {
  const auto require_few = [&](Index count) {
    if (count <= most) return;
    throw DataError(fmt::format("{}has more than {} different values: too many for a column of labels",
                                location(table, column), most));
  };
  Levels levels;
  if (table.has_labels(column)) {
    levels.labels = table.levels[static_cast<std::size_t>(column)];
    require_few(std::ssize(levels.labels));
    for (std::size_t i = 0; i < levels.labels.size(); ++i) levels.values.push_back(static_cast<double>(i));
    return levels;
  }
  std::set<double> values;
  const Index merged = first_row(table, column, [&](double value) {
    if (std::isnan(value)) return false;  // not observed
    if (values.insert(value).second) require_few(std::ssize(values));
    return std::abs(value) > most_exact;
  });
  if (merged < table.rows()) {
    throw DataError(
        location(table, merged, column) +
        "labels that are numbers above 2^53 = 9007199254740992 are not told from their neighbours unless they "
        "are read as text; of a CSV file, model.categorical does so");
  }
  levels.values.assign(values.begin(), values.end());
  for (const double value : levels.values) levels.labels.push_back(number_label(value));
  return levels;
}

KnownLevels::KnownLevels(std::span<const std::string> known, const Levels& found)
    : values_(known.size(), std::numeric_limits<double>::quiet_NaN()) {
  std::unordered_map<std::string, Index> places;
  for (std::size_t i = 0; i < known.size(); ++i) places.emplace(known[i], static_cast<Index>(i));
  for (std::size_t i = 0; i < known.size(); ++i) places.emplace(plain_label(known[i]), static_cast<Index>(i));
  for (std::size_t i = 0; i < found.labels.size(); ++i) {
    auto place = places.find(found.labels[i]);
    if (place == places.end()) place = places.find(plain_label(found.labels[i]));
    if (place == places.end()) {
      numbers_.emplace_back(found.values[i], std::ssize(values_));
      values_.push_back(found.values[i]);
      unseen_.push_back(i);
    } else {
      numbers_.emplace_back(found.values[i], place->second);
      values_[static_cast<std::size_t>(place->second)] = found.values[i];
    }
  }
  std::sort(numbers_.begin(), numbers_.end());
}

Index KnownLevels::number(double value) const {
  const auto at = std::lower_bound(numbers_.begin(), numbers_.end(), std::pair(value, Index{-1}));
  if (at == numbers_.end() || at->first != value) throw DataError("a label has changed since the table was opened");
  return at->second;
}

double KnownLevels::value_of(Index label) const { return values_[static_cast<std::size_t>(label)]; }

KnownLevels require_known(const Table& table, Index column, std::span<const std::string> known, const Levels& found) {
  KnownLevels levels(known, found);
  if (levels.unseen().empty()) return levels;
  const std::size_t unseen = levels.unseen().front();
  const Index row = first_row(table, column, [&](double value) { return value == found.values[unseen]; });
  throw DataError(fmt::format("{}'{}' is none of the values that the model was fitted to: {}",
                              location(table, row, column), found.labels[unseen], shown_list(known)));
}

}  // namespace quasar
