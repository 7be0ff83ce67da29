#include "models/network/images.hpp"

#include <algorithm>
#include <vector>

#include "core/column_summaries.hpp"

namespace quasar {

bool named_as_pixels(std::span<const std::string> predictors) {
  for (std::size_t i = 0; i < predictors.size(); ++i) {
    if (predictors[i] != std::string("pixel_").append(std::to_string(i + 1))) return false;
  }
  return !predictors.empty();
}

bool holds_images(const Table& table, const ColumnChoice& choice) {
  std::vector<std::string> names;
  for (const Index column : choice.predictors) names.push_back(table.names[static_cast<std::size_t>(column)]);
  if (!named_as_pixels(names) || !choice.categorical.empty()) return false;
  const std::vector<ColumnSummary> summaries = column_summaries(table);
  double least = 0, most = 0;
  for (const Index column : choice.predictors) {
    if (table.has_labels(column)) return false;
    const ColumnSummary& summary = summaries[static_cast<std::size_t>(column)];
    least = std::min(least, summary.min);
    most = std::max(most, summary.max);
  }
  return least == 0 && most > 1 && most <= 255;
}

}  // namespace quasar
