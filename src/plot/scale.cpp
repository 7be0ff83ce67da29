#include "plot/scale.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace quasar {
namespace {

constexpr double air = 0.04;         // of the axis, on both sides of the numbers
constexpr double far_outside = 1e5;  // pixels: viewers compute in single precision

// As the axis counts: the number, halved since the difference of two could overflow, or its logarithm.
double position(const Axis& axis, double value) { return axis.log ? std::log10(value) : value / 2; }

bool usable(const Axis& axis, const std::pair<double, double>& range) {
  return drawable(axis, range.first) && drawable(axis, range.second) &&
         position(axis, range.first) < position(axis, range.second);
}

Extent widened(const Axis& axis, Extent extent) {
  if (axis.log) {
    const double factor = extent.high > extent.low * 1.001 ? std::pow(extent.high / extent.low, air) : 2;
    using Limits = std::numeric_limits<double>;
    return {std::max(extent.low / factor, Limits::denorm_min()), std::min(extent.high * factor, Limits::max())};
  }
  const double size = std::max(std::abs(extent.low), std::abs(extent.high));
  const double width = extent.high - extent.low;
  const double more = size < 1e-300 ? 1 : width > 1e-12 * size ? air * width : size / 10;
  const bool apart = width > 0;
  const Extent wide{apart && extent.low == 0 ? 0 : extent.low - more,
                    apart && extent.high == 0 ? 0 : extent.high + more};
  return std::isfinite(wide.high - wide.low) ? wide : Extent{-1e308, 1e308};
}

}  // namespace

bool drawable(const Axis& axis, double value) { return std::isfinite(value) && !(axis.log && value <= 0); }

Extent shown(const Axis& axis, const Extent& numbers) {
  if (axis.range && usable(axis, *axis.range)) return {axis.range->first, axis.range->second};
  if (!axis.names.empty()) return {-0.5, static_cast<double>(axis.names.size()) - 0.5};
  if (numbers.empty()) return axis.log ? Extent{1, 10} : Extent{0, 1};
  return widened(axis, numbers);
}

AxisScale::AxisScale(const Axis& axis, const Extent& extent, double from_pixel, double to_pixel)
    : axis_(axis), extent_(extent), from_(from_pixel), to_(to_pixel) {}

std::optional<double> AxisScale::at(double value) const {
  if (!drawable(axis_, value)) return std::nullopt;
  const double low = position(axis_, extent_.low);
  const double share = (position(axis_, value) - low) / (position(axis_, extent_.high) - low);
  return std::clamp(from_ + share * (to_ - from_), -far_outside, far_outside);
}

double AxisScale::base() const {
  if (axis_.log) return from_;
  return *at(std::clamp(0.0, extent_.low, extent_.high));
}

double AxisScale::pixels_of(double distance) const {
  const double width = position(axis_, extent_.high) - position(axis_, extent_.low);
  return std::min(std::abs((axis_.log ? distance : distance / 2) / width * (to_ - from_)), far_outside);
}

}  // namespace quasar
