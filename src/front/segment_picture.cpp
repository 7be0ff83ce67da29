#include "front/segment_picture.hpp"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "core/labels.hpp"
#include "plot/segmented_panel.hpp"
#include "plot/svg.hpp"
#include "plot/svg_text.hpp"

namespace quasar {
namespace {

constexpr double nowhere = std::numeric_limits<double>::quiet_NaN();

// Times where they are numbers that rise all along, rows otherwise.
struct Places {
  std::string label = "row";
  std::vector<double> x;

  explicit Places(const SeriesTable& series) {
    for (const std::string& time : series.times) {
      const auto value = number_in(time);
      if (!value || (!x.empty() && *value <= x.back())) break;
      x.push_back(*value);
    }
    if (!x.empty() && x.size() == series.rows.size()) {
      label = series.time_column;
    } else {
      x.assign(series.rows.begin(), series.rows.end());
    }
  }
  double ahead(Index step) const {  // behind the last one
    const double distance = x.size() > 1 ? x.back() - x[x.size() - 2] : 1;
    return x.back() + static_cast<double>(step) * distance;
  }
};

std::vector<double> values_of(const SeriesTable& series, Index column) {
  std::vector<double> y;
  for (Index t = 0; t < series.data.size(); ++t) {
    if (series.categories.empty()) {
      y.push_back(series.data.values(column, t));
      continue;
    }
    Index category = 0;
    const double most = series.data.values.col(t).maxCoeff(&category);
    y.push_back(most == 1 ? static_cast<double>(category) : nowhere);
  }
  return y;
}

void add_forecast(const Forecast& ahead, Index column, const Places& places, Panel& panel) {
  Series ribbon{.name = "forecast", .mark = Series::Mark::ribbon, .x = {}, .y = {}};
  for (Index h = 0; h < ahead.mean.cols(); ++h) {
    ribbon.x.push_back(places.ahead(h + 1));
    ribbon.y.push_back(ahead.mean(column, h));
    ribbon.error.push_back(ahead.sd(column, h));
  }
  Series line = ribbon;
  line.mark = Series::Mark::line;
  if (panel.x.range && !line.x.empty()) panel.x.range->second = places.ahead(ahead.mean.cols() + 1);
  if (ahead.mean.cols() > 1) {
    line.error.clear();
    panel.series.push_back(std::move(ribbon));
  }
  panel.series.push_back(std::move(line));
}

}  // namespace

Figure picture_of(const SeriesTable& series, const SegmentSettings& settings, const Segmentation& found) {
  const bool categories = !series.categories.empty();
  const Places places(series);
  Figure figure{
      .name = fmt::format("{}: {}", series.source, to_string(settings.method)),
      .caption = "the series, the states that it goes through, and a forecast: mean and one standard deviation",
      .panels = {},
      .wide = true};
  for (Index column = 0; column < std::ssize(series.columns); ++column) {
    SegmentedSeries segmented{
        .x = places.x, .y = values_of(series, column), .states = found.model.states, .levels = {}};
    for (Index state = 0; state < found.states(); ++state) {
      segmented.levels.push_back(categories ? nowhere : found.model.centres(column, state));
    }
    segmented.starts.assign(series.data.starts.begin(), series.data.starts.end());
    Panel panel = segmented_panel(segmented);
    panel.y.label = series.columns[static_cast<std::size_t>(column)];
    if (categories) panel.y.names = series.categories;
    if (column + 1 == std::ssize(series.columns)) panel.x.label = places.label;
    if (!categories && series.data.count() == 1 && settings.ahead > 0) {
      add_forecast(found.forecasts.front(), column, places, panel);
    }
    figure.panels.push_back(std::move(panel));
  }
  return figure;
}

std::string page_of(const Figure& figure, const std::string& text) {
  return fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<title>{0}</title>\n<style>\n:root {{ "
      "color-scheme: light dark; }}\nbody {{ font-family: sans-serif; margin: 2em; }}\nsvg {{ max-width: 100%; height: "
      "auto; "
      "}}\n</style>\n</head>\n<body>\n<h1>{0}</h1>\n{1}<pre>{2}</pre>\n</body>\n</html>\n",
      escaped(figure.name), svg(figure, {.on_paper = false}), escaped(text));
}

}  // namespace quasar
