// quasar/figure.hpp -- a figure as a paper prints it: panels of curves, points and bars, drawn by plot/svg.hpp.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace quasar {

struct Axis {
  std::string label = {};
  bool log = false;
  std::optional<std::pair<double, double>> range = std::nullopt;  // empty: that of the numbers
  std::vector<std::string> names = {};  // of the positions 0, 1, ...: an axis of methods, not of numbers
  std::vector<std::pair<double, std::string>> marks = {};  // what to mark instead of round numbers: dates, say
};

// Numbers that are not finite, or not positive on a logarithmic axis, leave a gap.
struct Series {
  enum class Mark { line, points, bars, ribbon };  // a ribbon: all between y - error and y + error
  std::string name = {};  // in the legend, once; series of one name share a colour over all panels. Empty: no legend
  Mark mark = Mark::line;
  std::vector<double> x, y;
  std::vector<double> error = {};  // half the length of a bar about y; empty: none
  bool printed = false;            // the paper's numbers: drawn over ours, hollow and dashed
  double width = 0;                // of a line, in pixels; 0: as it is usual
  bool plain = false;              // in the colour of the text: what is none of the things that colours tell apart
};

// A stretch of the x axis, coloured behind all else as the series of that name. Bands do not overlap and come in order.
struct Band {
  double from, to;
  std::string name;
  std::string label = {};  // stands above it where there is room
};

// A line across the panel where one part of the x axis ends and the next begins, which has a name.
struct Border {
  double at;
  std::string name;
};

struct Panel {
  std::string title = {};
  Axis x, y;
  std::vector<Series> series;
  std::vector<Band> bands = {};
  std::vector<Border> borders = {};
};

struct Figure {
  std::string name;     // as part of a file's name: "figure-3"
  std::string caption;  // what the paper shows there, and what is ours
  int columns = 1;      // of panels side by side, as in the paper
  std::vector<Panel> panels;
  bool wide = false;  // panels of long series, one above the other
};

}  // namespace quasar
