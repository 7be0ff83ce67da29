// From the numbers of an axis to pixels.
#pragma once

#include <optional>

#include <quasar/figure.hpp>

#include "plot/ticks.hpp"

namespace quasar {

// Whether the axis has a place for the number.
bool drawable(const Axis& axis, double value);

// What is shown: the range that the axis asks for, its names, or the numbers with some air around them,
// but none beyond a 0 where they end; never empty.
Extent shown(const Axis& axis, const Extent& numbers);

class AxisScale {
 public:
  AxisScale(const Axis& axis, const Extent& extent, double from_pixel, double to_pixel);

  std::optional<double> at(double value) const;  // nothing: a gap
  double base() const;                           // where bars stand: at 0, or at the axis if that is off it
  double pixels_of(double distance) const;       // in numbers, or in decades on a logarithmic axis
  const Axis& axis() const { return axis_; }
  const Extent& extent() const { return extent_; }

 private:
  const Axis& axis_;
  Extent extent_;
  double from_, to_;
};

}  // namespace quasar
