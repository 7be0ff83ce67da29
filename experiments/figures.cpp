#include "experiments/figures.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace quasar {

Series curve(const std::string& name, std::span<const double> numbers, double first, double step) {
  Series series{.name = name, .x = {}, .y = {numbers.begin(), numbers.end()}};
  for (std::size_t i = 0; i < numbers.size(); ++i) series.x.push_back(first + static_cast<double>(i) * step);
  return series;
}

Series ellipse(const std::string& name, const Vec& mean, const Mat& root, double deviations) {
  constexpr int corners = 90;
  Series points{.name = name, .x = {}, .y = {}};
  for (int i = 0; i <= corners; ++i) {
    const double angle = 2 * std::numbers::pi * i / corners;
    const Vec at = mean + deviations * (root * Vec{{std::cos(angle), std::sin(angle)}});
    points.x.push_back(at[0]);
    points.y.push_back(at[1]);
  }
  return points;
}

void add_point(const std::string& name, Series::Mark mark, double x, double y, Panel& panel) {
  auto series = std::ranges::find_if(panel.series, [&](const Series& s) { return s.name == name && s.mark == mark; });
  if (series == panel.series.end())
    series = panel.series.insert(series, {.name = name, .mark = mark, .x = {}, .y = {}});
  series->x.push_back(x);
  series->y.push_back(y);
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
