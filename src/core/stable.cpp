#include "core/stable.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <stdexcept>

namespace quasar {
namespace {

using std::numbers::pi;

void check_exponent(double a) {
  if (!(a > 0 && a <= 1)) throw std::invalid_argument("a positive stable law: the exponent must be in (0, 1]");
}

void check_law(const StableLaw& law) {
  if (!(law.alpha > 0 && law.alpha <= 2)) throw std::invalid_argument("a stable law: alpha must be in (0, 2]");
  if (!(std::abs(law.beta) <= 1)) throw std::invalid_argument("a stable law: beta must be in [-1, 1]");
}

// Of a number that is positive but for rounding, at angles next to the ends of their range.
double log_of_positive(double x) { return std::log(std::max(x, std::numeric_limits<double>::min())); }

// (2 / pi) [(pi/2 + beta V) tan V - beta log((pi/2) E cos V / (pi/2 + beta V))]
double stable_of_one(double beta, double angle, double exponential) {
  const double tilted = pi / 2 + beta * angle;
  const double log_ratio = log_of_positive(pi / 2 * exponential * std::cos(angle)) - log_of_positive(tilted);
  return 2 / pi * (tilted * std::tan(angle) - beta * log_ratio);
}

}  // namespace

// By logarithms: for small a both factors overflow where their product does not.
double positive_stable_of(double a, double angle, double exponential) {
  if (a == 1) return 1;
  const double other = std::log(std::sin((1 - a) * angle)) - std::log(exponential);
  return std::exp(std::log(std::sin(a * angle)) + ((1 - a) * other - std::log(std::sin(angle))) / a);
}

double stable_of(const StableLaw& law, double angle, double exponential) {
  const double alpha = law.alpha;
  if (alpha == 1) return stable_of_one(law.beta, angle, exponential);
  const double skew = law.beta == 0 ? 0 : law.beta * std::tan(pi / 2 * alpha);
  const double turned = alpha * angle + std::atan(skew);  // alpha (V + B)
  const double log_scale = std::log1p(skew * skew) / 2;
  const double other = log_of_positive(std::cos(angle - turned)) - std::log(exponential);
  return std::sin(turned) * std::exp((log_scale - std::log(std::cos(angle)) + (1 - alpha) * other) / alpha);
}

double draw_stable(const StableLaw& law, Stream& stream) {
  check_law(law);
  const double angle = pi * (stream.uniform() - 0.5);
  return stable_of(law, angle, stream.exponential());
}

double draw_positive_stable(double a, Stream& stream) {
  check_exponent(a);
  const double angle = pi * stream.uniform();
  return positive_stable_of(a, angle, stream.exponential());
}

void draw_positive_stables(double a, Stream& stream, Out out) {
  for (double& one : out) one = draw_positive_stable(a, stream);
}

}  // namespace quasar
