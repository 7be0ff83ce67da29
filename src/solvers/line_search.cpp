#include "solvers/line_search.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "integrators/potential.hpp"

namespace quasar {
namespace {

constexpr double sufficient_decrease = 1e-4;  // c1
constexpr double expansion = 4;
constexpr int most_trials = 60;

bool decreases(const RayPoint& start, const RayPoint& t) {
  return t.u < start.u && t.u <= start.u + sufficient_decrease * t.step * start.slope;
}

// Near a mode the rounding of U hides a decrease, and the slopes have to tell: for a quadratic both say the same (Hager
// & Zhang, SIAM J. Optimization 16, 2005).
bool decreases_by_slope(const RayPoint& start, const RayPoint& t) {
  constexpr double hidden = 1e-12;
  return t.u <= start.u + hidden * std::abs(start.u) && t.slope <= (2 * sufficient_decrease - 1) * start.slope;
}

// The minimum of the cubic through both ends (Nocedal & Wright, eq. 3.59), kept away from them; the middle where the
// cubic is of no use.
double between(const RayPoint& low, const RayPoint& high) {
  const double width = high.step - low.step, middle = low.step + 0.5 * width;
  if (!std::isfinite(high.u)) return middle;
  const double d1 = low.slope + high.slope - 3 * (high.u - low.u) / width;
  const double d2 = std::copysign(std::sqrt(d1 * d1 - low.slope * high.slope), width);
  const double fraction = 1 - (high.slope + d2 - d1) / (high.slope - low.slope + 2 * d2);
  if (!std::isfinite(fraction)) return middle;
  return low.step + std::clamp(fraction, 0.1, 0.9) * width;
}

bool too_narrow(const RayPoint& low, const RayPoint& high) {
  return std::abs(high.step - low.step) <= 4 * std::numeric_limits<double>::epsilon() * std::max(low.step, high.step);
}

}  // namespace

RayPoint Ray::at(double step) {
  ++evaluations_;
  x = from + step * direction;
  const double u = potential(target_, x, gradient);
  const double slope = gradient.dot(direction);
  const bool usable = std::isfinite(u) && gradient.allFinite();
  return {step, usable ? u : std::numeric_limits<double>::infinity(), slope};
}

// `low` is the best point so far; once there is a `high`, a good step lies between the two.
LineSearch strong_wolfe(Ray& ray, const RayPoint& start, double first_step, double c2) {
  RayPoint low = start;
  std::optional<RayPoint> high;
  bool saw_edge = false;
  double step = first_step;
  for (int trial = 0; trial < most_trials; ++trial) {
    const RayPoint t = ray.at(step);
    saw_edge = saw_edge || std::isinf(t.u);
    const bool lower = decreases(start, t), flat = std::abs(t.slope) <= c2 * std::abs(start.slope);
    if (flat && (lower || decreases_by_slope(start, t))) return {LineSearch::moved, t, saw_edge};
    if (!lower || t.u >= low.u) {
      high = t;
    } else {
      const double towards_high = high ? high->step - low.step : 1;
      if (t.slope * towards_high >= 0) high = low;
      low = t;
    }
    if (high && too_narrow(low, *high)) break;
    step = high ? between(low, *high) : expansion * step;
  }
  if (!high) return {LineSearch::unbounded, low, saw_edge};
  if (low.step == 0) return {LineSearch::stuck, start, saw_edge};
  return {LineSearch::moved, ray.at(low.step), saw_edge};
}

LineSearch backtrack(Ray& ray, const RayPoint& start, double first_step) {
  bool saw_edge = false;
  double step = first_step;
  for (int trial = 0; trial < most_trials; ++trial, step /= 2) {
    const RayPoint t = ray.at(step);
    if (decreases(start, t)) return {LineSearch::moved, t, saw_edge};
    saw_edge = saw_edge || std::isinf(t.u);
  }
  return {LineSearch::stuck, start, saw_edge};
}

}  // namespace quasar
