// Where an axis is marked, and with which text.
#pragma once

#include <limits>
#include <string>
#include <vector>

#include <quasar/figure.hpp>

namespace quasar {

// What an axis shows, from low to high. Empty while low > high.
struct Extent {
  double low = std::numeric_limits<double>::infinity(), high = -low;
  bool empty() const { return low > high; }
  void include(double value);
};

struct Tick {
  double value;
  std::string label;  // empty: a small tick between those with numbers
};

// `about`: how many labels there is room for. Names have one each, as far as there is room.
std::vector<Tick> ticks(const Axis& axis, const Extent& extent, int about);

}  // namespace quasar
