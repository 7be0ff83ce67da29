#include "plot/marks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <set>
#include <vector>

#include "plot/svg_text.hpp"

namespace quasar {
namespace {

constexpr double cap = 3;                        // half the width of an error bar's end
constexpr std::size_t many = 250, crowd = 4000;  // points: then dots, then one for each pixel

struct Place {
  double x, y;
};
using Stroke = std::vector<Place>;  // without a gap

std::size_t size_of(const Series& series) { return std::min(series.x.size(), series.y.size()); }

std::vector<Stroke> strokes(const Series& series, const AxisScale& x, const AxisScale& y) {
  std::vector<Stroke> all;
  bool gap = true;
  for (std::size_t i = 0; i < size_of(series); ++i) {
    const auto px = x.at(series.x[i]), py = y.at(series.y[i]);
    if (px && py) {
      if (gap) all.emplace_back();
      all.back().push_back({*px, *py});
    }
    gap = !(px && py);
  }
  return all;
}

// Of neighbours in one column of pixels the first, the lowest, the highest and the last one stay: all that is seen.
Stroke thinned(const Stroke& stroke) {
  Stroke kept;
  for (auto begin = stroke.begin(); begin != stroke.end();) {
    const double column = std::floor(begin->x);
    const auto end = std::find_if(begin, stroke.end(), [&](const Place& p) { return std::floor(p.x) != column; });
    const auto lower = [](const Place& a, const Place& b) { return a.y < b.y; };
    const auto [low, high] = std::minmax_element(begin, end, lower);
    std::vector<Stroke::const_iterator> seen{begin, std::min(low, high), std::max(low, high), std::prev(end)};
    seen.erase(std::unique(seen.begin(), seen.end()), seen.end());
    for (const auto& place : seen) kept.push_back(*place);
    begin = end;
  }
  return kept;
}

std::string to(char command, const Place& place) {
  const std::string y = pixels(place.y);
  return fmt::format("{}{}{}{}", command, pixels(place.x), y.front() == '-' ? "" : " ", y);
}

std::string outline(const Style& style, double width) {
  const std::string dashes = style.dashes.empty() ? "" : fmt::format(" stroke-dasharray=\"{}\"", style.dashes);
  return fmt::format("stroke=\"{}\" stroke-width=\"{}\"{}", style.colour, pixels(width), dashes);
}

std::string line_element(const std::string& path, const Style& style, double width = 0) {
  return fmt::format("<path d=\"{}\" fill=\"none\" {} stroke-linecap=\"round\" stroke-linejoin=\"round\"/>\n", path,
                     outline(style, width > 0      ? width
                                    : style.hollow ? 1.4
                                                   : 1.6));
}

// A mark about the place that the path has moved to.
std::string shape_path(int shape) {
  switch (shape % 4) {
    case 0:
      return "m-3 0a3 3 0 1 0 6 0a3 3 0 1 0-6 0z";
    case 1:
      return "m-2.7-2.7h5.4v5.4h-5.4z";
    case 2:
      return "m0-3.7l3.7 3.7l-3.7 3.7l-3.7-3.7z";
    default:
      return "m0-3.5l3.3 5.9h-6.6z";
  }
}

std::string shapes_element(const std::string& path, const Style& style) {
  if (!style.hollow) return fmt::format("<path d=\"{}\" fill=\"{}\"/>\n", path, style.colour);
  return fmt::format("<path d=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"1.4\"/>\n", path, style.colour);
}

std::string bars_element(const std::string& path, const Style& style) {
  if (style.hollow) return fmt::format("<path d=\"{}\" fill=\"none\" {}/>\n", path, outline(style, 1.4));
  return fmt::format("<path d=\"{}\" fill=\"{}\" fill-opacity=\"0.85\"/>\n", path, style.colour);
}

std::string ribbon_element(const std::string& path, const Style& style) {
  return fmt::format("<path d=\"{}\" fill=\"{}\" fill-opacity=\"0.3\"/>\n", path, style.colour);
}

std::string dots_element(const std::string& path, const Style& style) {
  return fmt::format(
      "<path d=\"{}\" stroke=\"{}\" stroke-width=\"3\" stroke-linecap=\"round\" stroke-opacity=\"0.6\"/>\n", path,
      style.colour);
}

// The bar from y - error to y + error; what is beyond the axis ends there.
std::string error_path(double x, double value, double error, const AxisScale& y) {
  if (!(error > 0) || !std::isfinite(error)) return {};
  const double upper = *y.at(std::min(value + error, std::numeric_limits<double>::max()));
  const double lower = y.at(value - error).value_or(y.base());
  return fmt::format("{}V{}M{} {}h{}M{} {}h{}", to('M', {x, lower}), pixels(upper), pixels(x - cap), pixels(lower),
                     pixels(2 * cap), pixels(x - cap), pixels(upper), pixels(2 * cap));
}

// Bars about every point, or, where they would touch each other, about some of them.
std::string draw_errors(const Series& series, const AxisScale& x, const AxisScale& y, const Style& style,
                        double shift = 0) {
  std::string path;
  double last = -std::numeric_limits<double>::infinity();
  const bool line = series.mark == Series::Mark::line;
  for (std::size_t i = 0; i < std::min(size_of(series), series.error.size()); ++i) {
    const auto px = x.at(series.x[i]);
    if (!px || !y.at(series.y[i]) || (line && *px < last + 3 * cap)) continue;
    path += error_path(*px + shift, series.y[i], series.error[i], y);
    last = *px;
  }
  if (path.empty()) return {};
  return fmt::format("<path d=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"1.1\"/>\n", path,
                     style.hollow || series.mark != Series::Mark::bars ? style.colour : "currentColor");
}

std::vector<double> places_of_bars(const Panel& panel) {
  std::set<double> places;
  for (const Series& series : panel.series) {
    if (series.mark != Series::Mark::bars) continue;
    for (const double x : series.x) {
      if (drawable(panel.x, x)) places.insert(panel.x.log ? std::log10(x) : x);
    }
  }
  return {places.begin(), places.end()};
}

struct Stretch {
  std::size_t from, to;  // columns of pixels
  const Band* band;
};

std::vector<Stretch> stretches_of(const std::vector<Band>& bands, const AxisScale& x, double width) {
  struct Column {
    double covered = 0;
    const Band* band = nullptr;
  };
  std::vector<Column> columns(static_cast<std::size_t>(std::ceil(width)));
  for (const Band& band : bands) {
    const auto from = x.at(band.from), to = x.at(band.to);
    if (!from || !to) continue;
    const double begin = std::max(0.0, *from), end = std::min(*to, static_cast<double>(columns.size()));
    for (auto i = static_cast<std::size_t>(begin); static_cast<double>(i) < end; ++i) {
      const double left = static_cast<double>(i), covered = std::min(end, left + 1) - std::max(begin, left);
      if (covered > columns[i].covered) columns[i] = {covered, &band};
    }
  }
  std::vector<Stretch> all;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const Band* band = columns[i].band;
    if (!band) continue;
    const bool goes_on = !all.empty() && all.back().to == i && all.back().band->name == band->name;
    if (!goes_on) all.push_back({i, i, band});
    all.back().to = i + 1;
  }
  return all;
}

}  // namespace

double distance_of_bars(const Panel& panel) {
  const std::vector<double> places = places_of_bars(panel);
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t i = 1; i < places.size(); ++i) least = std::min(least, places[i] - places[i - 1]);
  return std::isfinite(least) ? least : 1;
}

std::string draw_line(const Series& series, const AxisScale& x, const AxisScale& y, const Style& style) {
  std::string path;
  for (const Stroke& stroke : strokes(series, x, y)) {
    const Stroke kept = thinned(stroke);
    path += to('M', kept.front());
    for (std::size_t i = 1; i < kept.size(); ++i) path += to('L', kept[i]);
    if (kept.size() == 1) path += "h0";  // a dot
  }
  if (path.empty()) return {};
  return draw_errors(series, x, y, style) + line_element(path, style, series.width);
}

std::string draw_points(const Series& series, const AxisScale& x, const AxisScale& y, const Style& style) {
  const std::size_t size = size_of(series);
  const bool dots = size > many && !style.hollow;
  std::set<std::pair<double, double>> taken;
  std::string path;
  for (std::size_t i = 0; i < size; ++i) {
    const auto px = x.at(series.x[i]), py = y.at(series.y[i]);
    if (!px || !py) continue;
    if (size > crowd && !taken.emplace(std::floor(*px), std::floor(*py)).second) continue;
    path += to('M', {*px, *py}) + (dots ? "h0" : shape_path(style.shape));
  }
  if (path.empty()) return {};
  return draw_errors(series, x, y, style) + (dots ? dots_element(path, style) : shapes_element(path, style));
}

std::string draw_bars(const Series& series, const AxisScale& x, const AxisScale& y, const Style& style,
                      const BarPlace& place, double distance) {
  const double group = x.pixels_of(distance), width = group * place.width, shift = group * place.offset;
  std::string path;
  for (std::size_t i = 0; i < size_of(series); ++i) {
    const auto px = x.at(series.x[i]), py = y.at(series.y[i]);
    if (!px || !py) continue;
    path += to('M', {*px + shift - width / 2, y.base()}) + "V" + pixels(*py) + "h" + pixels(width) + "V" +
            pixels(y.base()) + "z";
  }
  if (path.empty()) return {};
  return bars_element(path, style) + draw_errors(series, x, y, style, shift);
}

std::string draw_ribbon(const Series& series, const AxisScale& x, const AxisScale& y, const Style& style) {
  std::string path;
  const auto edge = [&](double side) {  // the upper or the lower one
    Series moved{.mark = Series::Mark::line, .x = series.x, .y = series.y};
    for (std::size_t i = 0; i < size_of(series); ++i) {
      moved.y[i] += i < series.error.size() ? side * series.error[i] : 0;
    }
    return strokes(moved, x, y);
  };
  const std::vector<Stroke> upper = edge(1), lower = edge(-1);
  if (upper.size() != lower.size()) return {};  // below a logarithmic axis
  for (std::size_t i = 0; i < upper.size(); ++i) {
    const Stroke there = thinned(upper[i]);
    Stroke back = thinned(lower[i]);
    std::ranges::reverse(back);
    path += to('M', there.front());
    for (std::size_t k = 1; k < there.size(); ++k) path += to('L', there[k]);
    for (const Place& place : back) path += to('L', place);
    path += 'z';
  }
  return path.empty() ? path : ribbon_element(path, style);
}

std::string draw_bands(const std::vector<Band>& bands, const AxisScale& x, double width, double height,
                       const ColourOf& colour) {
  std::string elements;
  for (const auto& [from, to, band] : stretches_of(bands, x, width)) {
    elements += fmt::format("<path d=\"M{} 0h{}v{}h-{}z\" fill=\"{}\"/>\n", from, to - from, pixels(height), to - from,
                            colour(band->name));
  }
  if (elements.empty()) return {};
  return fmt::format("<g class=\"bands\" fill-opacity=\"0.2\" shape-rendering=\"crispEdges\">\n{}</g>\n", elements);
}

std::string draw_band_labels(const std::vector<Band>& bands, const AxisScale& x, double width) {
  std::string elements;
  for (const auto& [from, to, band] : stretches_of(bands, x, width)) {
    if (text_width(band->label, small_font) + 2 > static_cast<double>(to - from)) continue;
    elements += text_element(static_cast<double>(from + to) / 2, -4, band->label, "text-anchor=\"middle\"");
  }
  if (elements.empty()) return {};
  return fmt::format("<g class=\"band-labels\" font-size=\"{}\" fill-opacity=\"0.75\">\n{}</g>\n", small_font,
                     elements);
}

std::string draw_borders(const std::vector<Border>& borders, const AxisScale& x, double width, double height,
                         double above) {
  std::string lines, names;
  double last = -std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < borders.size(); ++i) {
    const auto at = x.at(borders[i].at);
    if (!at || *at < last + 2) continue;  // as many as can be told apart
    last = *at;
    const double end = i + 1 < borders.size() ? x.at(borders[i + 1].at).value_or(width) : width;
    if (*at > 1) lines += fmt::format("M{} {}V{}", pixels(*at), pixels(-above), pixels(height));
    if (text_width(borders[i].name, small_font) + 6 <= end - *at)
      names += text_element(*at + 4, 10 - above, borders[i].name);
  }
  if (lines.empty() && names.empty()) return {};
  return fmt::format(
      "<g class=\"borders\" font-size=\"{}\">\n<path d=\"{}\" fill=\"none\" stroke=\"currentColor\" "
      "stroke-opacity=\"0.6\"/>\n{}</g>\n",
      small_font, lines, names);
}

std::string legend_mark(Series::Mark mark, const Style& style, double x, double y) {
  switch (mark) {
    case Series::Mark::line:
      return line_element(to('M', {x, y}) + "h22", style);
    case Series::Mark::points:
      return shapes_element(to('M', {x + 11, y}) + shape_path(style.shape), style);
    case Series::Mark::ribbon:
      return ribbon_element(to('M', {x, y - 5}) + "h22v10h-22z", style);
    default:
      return bars_element(to('M', {x + 4, y - 5}) + "h14v10h-14z", style);
  }
}

}  // namespace quasar
