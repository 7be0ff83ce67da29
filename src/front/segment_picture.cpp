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
constexpr Index most_panels = 12;            // with more of them, all sequences share one
constexpr double width = 880, letter = 6.5;  // pixels, about: how many dates there is room for

// Points of a panel: a sequence, or all.
struct Points {
  Index first, end;
};

// Times where they are numbers that rise all along, rows otherwise, with times that are not numbers at some of them.
struct Places {
  Axis axis{.label = "row"};
  std::vector<double> x;

  Places(const SeriesTable& series, const Points& part) {
    const bool timed = !series.times.empty();
    for (Index t = part.first; timed && t < part.end; ++t) {
      const auto value = number_in(series.times[static_cast<std::size_t>(t)]);
      if (!value || (!x.empty() && *value <= x.back())) break;
      x.push_back(*value);
    }
    if (timed) axis.label = series.time_column;
    if (timed && std::ssize(x) == part.end - part.first) return;
    x.assign(series.rows.begin() + part.first, series.rows.begin() + part.end);
    if (timed) mark(series, part);
  }
  double ahead(Index step) const {  // behind the last one
    const double distance = x.size() > 1 ? x.back() - x[x.size() - 2] : 1;
    return x.back() + static_cast<double>(step) * distance;
  }

 private:
  void mark(const SeriesTable& series, const Points& part) {
    const auto time = [&](Index i) { return series.times[static_cast<std::size_t>(part.first + i)]; };
    const Index size = part.end - part.first;
    const double room = letter * static_cast<double>(time(0).size()) + 30;
    const Index count = std::clamp<Index>(static_cast<Index>(width / room), 1, size);
    for (Index k = 0; k < count; ++k) {
      const Index i = (2 * k + 1) * size / (2 * count);
      axis.marks.emplace_back(x[static_cast<std::size_t>(i)], time(i));
    }
  }
};

double value_at(const SeriesTable& series, Index column, Index t) {
  if (series.categories.empty()) return series.data.values(column, t);
  Index category = 0;
  const double most = series.data.values.col(t).maxCoeff(&category);
  return most == 1 ? static_cast<double>(category) : nowhere;
}

void add_forecast(const Forecast& ahead, Index column, const Places& places, Panel& panel) {
  Series ribbon{.name = "forecast", .mark = Series::Mark::ribbon, .x = {}, .y = {}, .plain = true};
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

Panel panel_of(const SeriesTable& series, const Segmentation& found, const Points& part, Index column) {
  const bool categories = !series.categories.empty();
  const Places places(series, part);
  SegmentedSeries segmented{.x = places.x, .y = {}, .states = {}, .levels = {}, .starts = {}, .points = categories};
  for (Index t = part.first; t < part.end; ++t) {
    segmented.y.push_back(value_at(series, column, t));
    segmented.states.push_back(found.model.states[static_cast<std::size_t>(t)]);
  }
  for (Index state = 0; state < found.states(); ++state) {
    segmented.levels.push_back(categories ? nowhere : found.model.centres(column, state));
  }
  for (Index s = 0; s < series.data.count(); ++s) {
    const Index start = series.data.starts[static_cast<std::size_t>(s)];
    if (start < part.first || start >= part.end) continue;
    segmented.starts.push_back(static_cast<std::size_t>(start - part.first));
    if (series.sequences.empty()) continue;
    const bool alone = part.end - part.first < series.data.size();
    const std::string& name = series.sequences[static_cast<std::size_t>(s)];
    segmented.names.push_back(alone ? fmt::format("{} {}", series.sequence_column, name) : name);
  }
  Panel panel = segmented_panel(segmented);
  panel.x.label = places.axis.label;
  panel.x.marks = places.axis.marks;
  panel.y.label = series.columns[static_cast<std::size_t>(column)];
  if (categories) panel.y.names = series.categories;
  return panel;
}

}  // namespace

Figure picture_of(const SeriesTable& series, const SegmentSettings& settings, const Segmentation& found) {
  const Index columns = std::ssize(series.columns), sequences = series.data.count();
  const bool apart = sequences * columns <= std::max(most_panels, columns);  // each sequence has its own forecast then
  const bool forecasts = apart && series.categories.empty() && settings.ahead > 0;
  Figure figure{.name = fmt::format("{}: {}", series.source, to_string(settings.method)),
                .caption = fmt::format("the series and the states that it goes through{}",
                                       forecasts ? ", and a forecast: mean and one standard deviation" : ""),
                .panels = {},
                .wide = true};
  for (Index s = 0; s < (apart ? sequences : 1); ++s) {
    const Points part = apart ? Points{series.data.starts[static_cast<std::size_t>(s)], series.data.end(s)}
                              : Points{0, series.data.size()};
    for (Index column = 0; column < columns; ++column) {
      Panel panel = panel_of(series, found, part, column);
      if (column + 1 < columns) panel.x.label.clear();
      if (forecasts) add_forecast(found.forecasts[static_cast<std::size_t>(s)], column, Places(series, part), panel);
      figure.panels.push_back(std::move(panel));
    }
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
