#include "experiments/figures.hpp"

#include <algorithm>
#include <cmath>

namespace quasar {

Series curve(const std::string& name, std::span<const double> numbers, double first, double step) {
  Series series{.name = name, .x = {}, .y = {numbers.begin(), numbers.end()}};
  for (std::size_t i = 0; i < numbers.size(); ++i) series.x.push_back(first + static_cast<double>(i) * step);
  return series;
}

Panel beside_print(const std::vector<ExperimentRow>& rows, const std::string& quantity, bool log,
                   const std::string& not_reached) {
  Panel panel{quantity, {}, {.log = log}, {}};
  Series ours{.name = "ours", .mark = Series::Mark::points, .x = {}, .y = {}};
  Series printed{.name = "printed", .mark = Series::Mark::points, .x = {}, .y = {}, .printed = true};
  for (const ExperimentRow& row : rows) {
    const bool missing = !not_reached.empty() && row.quantity == not_reached;
    if (row.quantity != quantity && !missing) continue;
    const auto place = static_cast<double>(panel.x.names.size());
    panel.x.names.push_back(row.method);
    if (!missing) {
      ours.x.push_back(place);
      ours.y.push_back(row.value);
      ours.error.push_back(row.mcse.value_or(0));
    }
    if (row.printed) {
      printed.x.push_back(place);
      printed.y.push_back(*row.printed);
    }
  }
  panel.series = {std::move(ours), std::move(printed)};
  return panel;
}

}  // namespace quasar
