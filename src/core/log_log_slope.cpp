#include "core/log_log_slope.hpp"

#include <cmath>
#include <limits>
#include <span>
#include <vector>

namespace quasar {
namespace {

struct Point {  // of the log-log plot of error against step
  double log_step, log_error;
};

double least_squares_slope(std::span<const Point> points) {
  const auto n = static_cast<double>(points.size());
  double mean_x = 0, mean_y = 0, covariance = 0, variance = 0;
  for (const auto& p : points) {
    mean_x += p.log_step / n;
    mean_y += p.log_error / n;
  }
  for (const auto& p : points) {
    covariance += (p.log_step - mean_x) * (p.log_error - mean_y);
    variance += (p.log_step - mean_x) * (p.log_step - mean_x);
  }
  return covariance / variance;
}

}  // namespace

double log_log_slope(double longest_step, const std::function<ErrorAt(double h)>& error_at) {
  constexpr int steps_per_decade = 4, decades = 12;
  constexpr std::size_t fewest = 3, most = std::size_t{2} * steps_per_decade;
  std::vector<Point> points;
  for (int k = steps_per_decade * decades; k >= 0 && points.size() < most; --k) {
    const double h = longest_step * std::pow(10.0, -static_cast<double>(k) / steps_per_decade);
    const auto [error, rounding] = error_at(h);
    if (error > clear_of_rounding * rounding) points.push_back({std::log(h), std::log(error)});
  }
  return points.size() < fewest ? std::numeric_limits<double>::quiet_NaN() : least_squares_slope(points);
}

}  // namespace quasar
