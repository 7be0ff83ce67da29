// A panel with its axes: measured first, drawn when its place is known.
#pragma once

#include <string>
#include <vector>

#include <quasar/figure.hpp>

#include "plot/scale.hpp"
#include "plot/styles.hpp"

namespace quasar {

struct Size {
  double width, height;
};

struct Extents {
  Extent x, y;
};

struct Field {
  Field(const Panel& of, const Size& inside);
  double left() const;  // room for what stands around the axes
  double left_of_axis() const;
  double below() const;
  double above() const;
  double above_axes() const;  // of that, for labels of bands and names of borders

  const Panel& panel;
  Size size;        // inside the axes
  double distance;  // of bars
  Extents numbers;  // of all that is drawn
  AxisScale x, y;
  std::vector<Tick> x_ticks, y_ticks;
  bool slanted_names;
};

std::string draw(const Field& field, const Styles& styles);  // the upper left corner inside the axes is at 0, 0

}  // namespace quasar
