// What is drawn inside a panel: lines, points, bars and ribbons, with their errors, and bands behind them.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include <quasar/figure.hpp>

#include "plot/scale.hpp"

namespace quasar {

struct Style {
  std::string colour;
  std::string dashes;  // empty: a line without gaps
  int shape = 0;       // of points
  bool hollow = false;
};

// Where the bars of a series stand within their group, in shares of the distance of two groups: from its middle.
struct BarPlace {
  double offset = 0, width = 0.8;
};

double distance_of_bars(const Panel& panel);  // of neighbours, in numbers or decades; 1 where there is one group

std::string draw_line(const Series& series, const AxisScale& x, const AxisScale& y, const Style& style);
std::string draw_points(const Series& series, const AxisScale& x, const AxisScale& y, const Style& style);
std::string draw_bars(const Series& series, const AxisScale& x, const AxisScale& y, const Style& style,
                      const BarPlace& place, double distance);

std::string draw_ribbon(const Series& series, const AxisScale& x, const AxisScale& y, const Style& style);

// One colour for every column of pixels, of the band that covers most of it: as many elements for a million bands as
// for a thousand.
using ColourOf = std::function<std::string(const std::string& name)>;
std::string draw_bands(const std::vector<Band>& bands, const AxisScale& x, double width, double height,
                       const ColourOf& colour);

// Above the field, where the stretch of a band is wide enough.
std::string draw_band_labels(const std::vector<Band>& bands, const AxisScale& x, double width);

// Lines across, and the names `above` the field, where they have room.
std::string draw_borders(const std::vector<Border>& borders, const AxisScale& x, double width, double height,
                         double above);

std::string legend_mark(Series::Mark mark, const Style& style, double x, double y);  // 22 pixels wide, around y

}  // namespace quasar
