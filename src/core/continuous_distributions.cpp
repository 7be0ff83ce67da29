// Exponential, gamma, beta and Dirichlet draws. Small shapes live on the log scale: a draw of Gamma(a) is about
// exp(-1/a), far below the smallest double for a < 1e-3, yet ratios of such draws are what beta and Dirichlet need.
#include <boost/math/special_functions/log1p.hpp>

#include <cmath>
#include <stdexcept>

#include <quasar/rng.hpp>

#include "core/philox.hpp"

namespace quasar {
namespace {

// Below this, log u / shape could overflow.
constexpr double smallest_shape = 1e-300;

void check_shape(double shape, const char* message) {
  if (!(shape >= smallest_shape && std::isfinite(shape))) throw std::invalid_argument(message);
}

// d (1 + w)^3 with d = shape - 1/3, for shape >= 1 (Marsaglia and Tsang, ACM TOMS 2000): w = x / sqrt(9 d) with x
// normal, accepted where log u < x^2/2 + d - d v + d log v, v = (1 + w)^3. Written with log1pmx(w) = log(1 + w) - w,
// since the terms of order w cancel and would leave nothing but rounding at large d.
struct CubedNormal {
  double d, w;
  double value() const { return d * (1 + w) * (1 + w) * (1 + w); }
  double log_value() const { return std::log(d) + 3 * std::log1p(w); }
};

CubedNormal draw_cubed_normal(ElementDraws& draws, double shape) {
  const double d = shape - 1.0 / 3, scale = 1 / std::sqrt(9 * d);
  for (;;) {
    const double x = draws.normal(), w = scale * x;
    if (w <= -1) continue;
    const double u = draws.uniform(), x2 = x * x;
    const bool inside_squeeze = u < 1 - 0.0331 * x2 * x2;
    if (inside_squeeze || std::log(u) < x2 / 2 + d * (3 * boost::math::log1pmx(w) - 3 * w * w - w * w * w))
      return {d, w};
  }
}

// log of a Gamma(shape) draw. For shape < 1 a draw of Gamma(shape + 1) times u^(1 / shape).
double log_gamma_draw(ElementDraws& draws, double shape) {
  if (shape >= 1) return draw_cubed_normal(draws, shape).log_value();
  const double boost = std::log(draws.uniform()) / shape;
  return draw_cubed_normal(draws, shape + 1).log_value() + boost;
}

}  // namespace

double Stream::exponential() { return -std::log(uniform()); }

double Stream::gamma(double shape) {
  check_shape(shape, "gamma: the shape must be finite and at least 1e-300");
  ElementDraws draws = next_element();
  return shape >= 1 ? draw_cubed_normal(draws, shape).value() : std::exp(log_gamma_draw(draws, shape));
}

// x / (x + y) for independent gamma draws x, y.
double Stream::beta(double a, double b) {
  constexpr const char* message = "beta: both shapes must be finite and at least 1e-300";
  check_shape(a, message);
  check_shape(b, message);
  ElementDraws draws = next_element();
  const double log_x = log_gamma_draw(draws, a);
  const double log_y = log_gamma_draw(draws, b);
  return 1 / (1 + std::exp(log_y - log_x));
}

// Gamma draws over their sum; scaled by the largest, so that the sum is at least 1.
void Stream::dirichlet(In alpha, Out out) {
  if (alpha.size() == 0 || alpha.size() != out.size())
    throw std::invalid_argument("dirichlet: as many results as weights, and at least one");
  for (const double a : alpha) check_shape(a, "dirichlet: every weight must be finite and at least 1e-300");
  for (Index i = 0; i < alpha.size(); ++i) {
    ElementDraws draws = next_element();
    out[i] = log_gamma_draw(draws, alpha[i]);
  }
  out = (out.array() - out.maxCoeff()).exp();
  out /= out.sum();
}

}  // namespace quasar
