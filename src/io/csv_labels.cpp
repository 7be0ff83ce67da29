#include "io/csv_labels.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>
#include <utility>

#include "core/labels.hpp"

namespace quasar {
namespace {

// Long numbers that are one double are told apart by their text.
std::pair<std::optional<double>, std::string_view> by_number(std::string_view label) {
  return {number_in(label), label};
}

// The distinct labels, in order.
std::vector<std::string> sorted(const std::set<std::string>& labels) {
  std::vector<std::string> levels(labels.begin(), labels.end());
  if (!std::all_of(levels.begin(), levels.end(), number_in)) return levels;
  std::sort(levels.begin(), levels.end(),
            [](const std::string& a, const std::string& b) { return by_number(a) < by_number(b); });
  return levels;
}

}  // namespace

double CsvLabels::number(std::string_view label) {
  label_ = label;
  return static_cast<double>(numbers_.emplace(label_, numbers_.size()).first->second);
}

CsvLabels::InOrder CsvLabels::in_order() const {
  std::set<std::string> labels;
  for (const auto& [label, number] : numbers_) labels.insert(plain_label(label));
  InOrder result{sorted(labels), std::vector<double>(numbers_.size())};
  std::unordered_map<std::string_view, std::size_t> places;
  for (const std::string& level : result.levels) places.emplace(level, places.size());
  for (const auto& [label, number] : numbers_) {
    result.numbers[number] = static_cast<double>(places.at(plain_label(label)));
  }
  return result;
}

void set_levels(Table& table, Index column, const CsvLabels& labels) {
  const auto [levels, numbers] = labels.in_order();
  table.levels.resize(table.names.size());
  table.levels[static_cast<std::size_t>(column)] = levels;
  for (double& value : table.values.col(column)) {
    if (!std::isnan(value)) value = numbers[static_cast<std::size_t>(value)];
  }
}

}  // namespace quasar
