#include "plot/field.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "plot/marks.hpp"
#include "plot/svg_text.hpp"

namespace quasar {
namespace {

constexpr double label_height = 13;                      // of what stands above bands
constexpr double tick = 4, minor_tick = 2.5, bleed = 5;  // bleed: marks at the edge of a panel are not cut
constexpr double slanted = 35;                           // degrees: names that have no room side by side
const double sine = std::sin(slanted * std::numbers::pi / 180), cosine = std::cos(slanted * std::numbers::pi / 180);

// Of all that is drawn in a panel.
Extents extents_of(const Panel& panel, double distance) {
  Extents all;
  const auto include = [](const Axis& axis, Extent& extent, double value) {
    if (drawable(axis, value)) extent.include(value);
  };
  for (const Series& series : panel.series) {
    const bool bars = series.mark == Series::Mark::bars;
    for (std::size_t i = 0; i < std::min(series.x.size(), series.y.size()); ++i) {
      const double x = series.x[i], y = series.y[i];
      if (!drawable(panel.x, x) || !drawable(panel.y, y)) continue;
      for (const double side : {-0.5, 0.5}) {
        const double beside = side * distance;
        include(panel.x, all.x, !bars ? x : panel.x.log ? x * std::pow(10, beside) : x + beside);
      }
      const double error = i < series.error.size() && std::isfinite(series.error[i]) ? std::abs(series.error[i]) : 0;
      for (const double value : {y, y - error, y + error}) include(panel.y, all.y, value);
      if (bars && !panel.y.log) all.y.include(0);
    }
  }
  return all;
}

double widest(const std::vector<Tick>& all) {
  double most = 0;
  for (const Tick& one : all) most = std::max(most, text_width(one.label, small_font));
  return most;
}

std::string draw_x_axis(const Field& field) {
  std::string marks, texts;
  const double bottom = field.size.height;
  for (const Tick& one : field.x_ticks) {
    const double at = *field.x.at(one.value);
    marks += fmt::format("M{} {}v{}", pixels(at), pixels(bottom), pixels(one.label.empty() ? minor_tick : tick));
    if (one.label.empty()) continue;
    if (field.slanted_names) {
      texts += text_element(at + 4, bottom + tick + 10, one.label,
                            fmt::format("text-anchor=\"end\" transform=\"rotate({} {} {})\"", -slanted, pixels(at + 4),
                                        pixels(bottom + tick + 10)));
    } else {
      texts += text_element(at, bottom + tick + 12, one.label, "text-anchor=\"middle\"");
    }
  }
  return fmt::format(
      "<path d=\"M0 {}h{}{}\" fill=\"none\" stroke=\"currentColor\" stroke-opacity=\"0.7\"/>\n<g class=\"x-ticks\" "
      "font-size=\"{}\">\n{}</g>\n",
      pixels(bottom), pixels(field.size.width), marks, small_font, texts);
}

std::string draw_y_axis(const Field& field) {
  std::string marks, grid, texts;
  for (const Tick& one : field.y_ticks) {
    const double at = *field.y.at(one.value), length = one.label.empty() ? minor_tick : tick;
    marks += fmt::format("M0 {}h{}", pixels(at), pixels(-length));
    if (one.label.empty()) continue;
    grid += fmt::format("M0 {}h{}", pixels(at), pixels(field.size.width));
    texts += text_element(-tick - 3, at + 4, one.label, "text-anchor=\"end\"");
  }
  return fmt::format(
      "<path d=\"{}\" fill=\"none\" stroke=\"currentColor\" stroke-opacity=\"0.12\"/>\n<path d=\"M0 0v{}{}\" "
      "fill=\"none\" "
      "stroke=\"currentColor\" stroke-opacity=\"0.7\"/>\n<g class=\"y-ticks\" font-size=\"{}\">\n{}</g>\n",
      grid, pixels(field.size.height), marks, small_font, texts);
}

std::string draw_labels(const Field& field) {
  std::string texts;
  const double width = field.size.width, height = field.size.height;
  if (!field.panel.title.empty()) {
    texts += text_element(width / 2, -9 - field.above_axes(), field.panel.title,
                          "text-anchor=\"middle\" font-weight=\"600\"");
  }
  if (!field.panel.x.label.empty()) {
    texts += text_element(width / 2, height + field.below() - 5, field.panel.x.label, "text-anchor=\"middle\"");
  }
  if (!field.panel.y.label.empty()) {
    const double x = font_size - field.left_of_axis();
    texts += text_element(
        x, height / 2, field.panel.y.label,
        fmt::format("text-anchor=\"middle\" transform=\"rotate(-90 {} {})\"", pixels(x), pixels(height / 2)));
  }
  return texts;
}

// Bars of ours stand side by side; a printed one stands over ours of the same name, or over the whole group.
BarPlace place_of(const Series& series, const Panel& panel) {
  std::vector<std::string> names;
  for (const Series& other : panel.series) {
    const bool known = std::find(names.begin(), names.end(), other.name) != names.end();
    if (other.mark == Series::Mark::bars && !other.printed && !known) names.push_back(other.name);
  }
  const double all = panel.x.names.empty() && names.size() < 2 ? 1 : 0.8;  // a histogram has no gaps
  const auto at = std::find(names.begin(), names.end(), series.name);
  if (at == names.end()) return {0, all};
  const double width = all / static_cast<double>(names.size());
  return {width * (static_cast<double>(at - names.begin()) + 0.5) - all / 2, width};
}

std::string draw_series(const Series& series, const Field& field, const Style& style) {
  switch (series.mark) {
    case Series::Mark::line:
      return draw_line(series, field.x, field.y, style);
    case Series::Mark::points:
      return draw_points(series, field.x, field.y, style);
    case Series::Mark::ribbon:
      return draw_ribbon(series, field.x, field.y, style);
    default:
      return draw_bars(series, field.x, field.y, style, place_of(series, field.panel), field.distance);
  }
}

std::string draw_marks(const Field& field, const Styles& styles) {
  std::string ours, printed;
  for (const Series& series : field.panel.series) {
    (series.printed ? printed : ours) += draw_series(series, field, styles.of(series));
  }
  const double width = field.size.width, height = field.size.height;
  const std::string behind = draw_bands(field.panel.bands, field.x, width, height,
                                        [&](const std::string& name) { return styles.colour_of(name); });
  if (ours.empty() && printed.empty()) {
    return text_element(width / 2, height / 2, "no data", "text-anchor=\"middle\" fill-opacity=\"0.6\"");
  }
  // A viewport of its own cuts what is outside the range.
  return fmt::format("<svg x=\"{0}\" y=\"{0}\" width=\"{1}\" height=\"{2}\" viewBox=\"{0} {0} {1} {2}\">\n{3}</svg>\n",
                     pixels(-bleed), pixels(width + 2 * bleed), pixels(height + 2 * bleed), behind + ours + printed);
}

}  // namespace

Field::Field(const Panel& of, const Size& inside)
    : panel(of),
      size(inside),
      distance(distance_of_bars(of)),
      numbers(extents_of(of, distance)),
      x(of.x, shown(of.x, numbers.x), 0, inside.width),
      y(of.y, shown(of.y, numbers.y), inside.height, 0),
      x_ticks(ticks(of.x, x.extent(), static_cast<int>(inside.width / (of.x.names.empty() ? 55 : 14)))),
      y_ticks(ticks(of.y, y.extent(), static_cast<int>(inside.height / (of.y.names.empty() ? 30 : 14)))),
      slanted_names(!of.x.names.empty() && widest(x_ticks) > x.pixels_of(1) - 8) {}

double Field::left_of_axis() const { return tick + 6 + widest(y_ticks) + (panel.y.label.empty() ? 0 : line_height); }

double Field::left() const {
  const double of_names = slanted_names ? widest(x_ticks) * cosine - x.pixels_of(1) / 2 + 4 : 0;
  return std::max({left_of_axis(), of_names, 14.0});
}

double Field::below() const {
  const double of_ticks = slanted_names ? widest(x_ticks) * sine + small_font : line_height;
  return tick + of_ticks + (panel.x.label.empty() ? 0 : line_height);
}

double Field::above_axes() const {
  const bool labels = std::ranges::any_of(panel.bands, [](const Band& band) { return !band.label.empty(); });
  return (labels ? label_height : 0) + (panel.borders.empty() ? 0 : label_height);
}

double Field::above() const { return above_axes() + (panel.title.empty() ? 6 : line_height + 4); }

std::string draw(const Field& field, const Styles& styles) {
  const auto& [width, height] = field.size;
  return draw_y_axis(field) + draw_x_axis(field) + draw_labels(field) + draw_marks(field, styles) +
         draw_band_labels(field.panel.bands, field.x, width) +
         draw_borders(field.panel.borders, field.x, width, height, field.above_axes());
}

}  // namespace quasar
