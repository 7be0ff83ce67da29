#include "plot/svg.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string_view>

#include "plot/marks.hpp"
#include "plot/scale.hpp"
#include "plot/styles.hpp"
#include "plot/svg_text.hpp"

namespace quasar {
namespace {

constexpr double font = 12, small_font = 11, line_height = 18, border = 12, between = 22;
constexpr double tick = 4, minor_tick = 2.5, bleed = 5;  // bleed: marks at the edge of a panel are not cut
constexpr double slanted = 35;                           // degrees: names that have no room side by side
const double sine = std::sin(slanted * 3.14159265358979 / 180), cosine = std::cos(slanted * 3.14159265358979 / 180);

std::string text_element(double x, double y, std::string_view text, std::string_view attributes = {}) {
  return fmt::format("<text x=\"{}\" y=\"{}\"{}{}>{}</text>\n", pixels(x), pixels(y), attributes.empty() ? "" : " ",
                     attributes, escaped(text));
}

struct Size {
  double width, height;
};

// Of the field inside the axes: panels side by side are smaller.
Size field_size(int columns) {
  if (columns <= 1) return {560, 320};
  return columns == 2 ? Size{370, 250} : Size{270, 190};
}

struct Extents {
  Extent x, y;
};

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

// A panel with its axes, measured but not placed yet.
struct Field {
  const Panel& panel;
  Size size;
  double distance;
  Extents numbers;
  Scale x, y;
  std::vector<Tick> x_ticks, y_ticks;
  bool slanted_names;

  Field(const Panel& of, const Size& inside)
      : panel(of),
        size(inside),
        distance(distance_of_bars(of)),
        numbers(extents_of(of, distance)),
        x(of.x, shown(of.x, numbers.x), 0, inside.width),
        y(of.y, shown(of.y, numbers.y), inside.height, 0),
        x_ticks(ticks(of.x, x.extent(), static_cast<int>(inside.width / (of.x.names.empty() ? 55 : 14)))),
        y_ticks(ticks(of.y, y.extent(), static_cast<int>(inside.height / (of.y.names.empty() ? 30 : 14)))),
        slanted_names(!of.x.names.empty() && widest(x_ticks) > x.pixels_of(1) - 8) {}

  static double widest(const std::vector<Tick>& all) {
    double most = 0;
    for (const Tick& one : all) most = std::max(most, text_width(one.label, small_font));
    return most;
  }
  double left_of_axis() const { return tick + 6 + widest(y_ticks) + (panel.y.label.empty() ? 0 : line_height); }
  double left() const {
    const double of_names = slanted_names ? widest(x_ticks) * cosine - x.pixels_of(1) / 2 + 4 : 0;
    return std::max({left_of_axis(), of_names, 14.0});
  }
  double below() const {
    const double of_ticks = slanted_names ? widest(x_ticks) * sine + small_font : line_height;
    return tick + of_ticks + (panel.x.label.empty() ? 0 : line_height);
  }
  double above() const { return panel.title.empty() ? 6 : line_height + 4; }
};

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
    texts += text_element(width / 2, -9, field.panel.title, "text-anchor=\"middle\" font-weight=\"600\"");
  }
  if (!field.panel.x.label.empty()) {
    texts += text_element(width / 2, height + field.below() - 5, field.panel.x.label, "text-anchor=\"middle\"");
  }
  if (!field.panel.y.label.empty()) {
    const double x = font - field.left_of_axis();
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
  if (ours.empty() && printed.empty()) {
    return text_element(width / 2, height / 2, "no data", "text-anchor=\"middle\" fill-opacity=\"0.6\"");
  }
  // A viewport of its own cuts what is outside the range.
  return fmt::format("<svg x=\"{0}\" y=\"{0}\" width=\"{1}\" height=\"{2}\" viewBox=\"{0} {0} {1} {2}\">\n{3}</svg>\n",
                     pixels(-bleed), pixels(width + 2 * bleed), pixels(height + 2 * bleed), ours + printed);
}

struct Legend {
  std::string elements;
  Size size;
};

Legend draw_legend(const std::vector<LegendEntry>& entries, double width) {
  Legend legend{{}, {0, 0}};
  double x = 0, y = entries.empty() ? 0 : line_height;
  for (const LegendEntry& entry : entries) {
    const double needed = 28 + text_width(entry.text, font);
    if (x > 0 && x + needed > width) {
      x = 0;
      y += line_height;
    }
    legend.elements += legend_mark(entry.mark, entry.style, x, y - 9) + text_element(x + 28, y - 5, entry.text);
    legend.size.width = std::max(legend.size.width, x + needed);
    x += needed + 16;
  }
  legend.size.height = y;
  return legend;
}

// Panels row by row. A column is as wide, a row as high, as the panel that needs most for its axes.
struct Grid {
  std::size_t columns;
  std::vector<Field> fields;
  std::vector<double> left, above, below;  // of each column, of each row

  explicit Grid(const Figure& figure)
      : columns(static_cast<std::size_t>(
            std::clamp(figure.columns, 1, std::max(1, static_cast<int>(figure.panels.size()))))),
        left(columns),
        above((figure.panels.size() + columns - 1) / columns),
        below(above.size()) {
    const Size inside = field_size(static_cast<int>(columns));
    fields.reserve(figure.panels.size());
    for (std::size_t i = 0; i < figure.panels.size(); ++i) {
      const Field& field = fields.emplace_back(figure.panels[i], inside);
      const auto most = [](double& so_far, double here) { so_far = std::max(so_far, here); };
      most(left[i % columns], field.left());
      most(above[i / columns], field.above());
      most(below[i / columns], field.below());
    }
  }

  Size size() const { return corner(columns, above.size()); }
  Size field_at(std::size_t i) const {
    const Size cell = corner(i % columns, i / columns);
    return {cell.width + left[i % columns], cell.height + above[i / columns]};
  }

 private:
  Size corner(std::size_t column, std::size_t row) const {
    const Size inside = field_size(static_cast<int>(columns));
    Size at{0, 0};
    for (std::size_t i = 0; i < column; ++i) at.width += left[i] + inside.width + between;
    for (std::size_t i = 0; i < row; ++i) at.height += above[i] + inside.height + below[i] + 10;
    return at;
  }
};

std::string head(const Figure& figure, const SvgLook& look, const Size& size) {
  std::string text = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0} {1}\" width=\"{0}\" height=\"{1}\" role=\"img\" "
      "font-size=\"{2}\" fill=\"currentColor\"{3}>\n<title>{4}</title>\n<desc>{5}</desc>\n",
      pixels(std::ceil(size.width)), pixels(std::ceil(size.height)), font,
      look.on_paper ? " font-family=\"sans-serif\" color=\"#1a1a1a\"" : "", escaped(figure.name),
      escaped(figure.caption));
  if (look.on_paper) text += "<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n";
  return text;
}

}  // namespace

std::string svg(const Figure& figure, const SvgLook& look) {
  const Styles styles(figure);
  const Grid grid(figure);
  const Size panels = grid.size();
  const Legend legend = draw_legend(styles.legend(), panels.width);
  const double top = border + legend.size.height + 4;

  std::string text =
      head(figure, look, {2 * border + std::max(panels.width - between + 8, legend.size.width), top + panels.height});
  text += fmt::format("<g class=\"legend\" transform=\"translate({0} {0})\">\n{1}</g>\n", border, legend.elements);
  for (std::size_t i = 0; i < grid.fields.size(); ++i) {
    const Field& field = grid.fields[i];
    const Size at = grid.field_at(i);
    text += fmt::format("<g class=\"panel\" transform=\"translate({} {})\">\n", pixels(border + at.width),
                        pixels(top + at.height));
    text += draw_y_axis(field) + draw_x_axis(field) + draw_labels(field) + draw_marks(field, styles) + "</g>\n";
  }
  return text + "</svg>\n";
}

}  // namespace quasar
