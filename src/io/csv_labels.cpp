#include "io/csv_labels.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "core/labels.hpp"

namespace quasar {
namespace {

struct Came {
  std::optional<double> value;  // of a label that is a number
  std::string label;
  std::size_t number;
};

}  // namespace

double CsvLabels::number(std::string_view label) {
  label_ = label;
  return static_cast<double>(numbers_.emplace(label_, numbers_.size()).first->second);
}

CsvLabels::InOrder CsvLabels::in_order() const {
  std::vector<Came> all;
  all.reserve(numbers_.size());
  for (const auto& [label, number] : numbers_) {
    std::string plain = plain_label(label);
    const auto value = number_in(plain);
    all.push_back({value, std::move(plain), number});
  }
  const bool numbers = std::all_of(all.begin(), all.end(), [](const Came& came) { return came.value.has_value(); });
  // Long numbers that are one double are told apart by their text.
  std::sort(all.begin(), all.end(), [&](const Came& a, const Came& b) {
    return numbers && a.value != b.value ? a.value < b.value : a.label < b.label;
  });
  InOrder result{{}, std::vector<double>(all.size())};
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (i == 0 || all[i].label != all[i - 1].label) result.levels.push_back(all[i].label);
    result.numbers[all[i].number] = static_cast<double>(result.levels.size() - 1);
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
