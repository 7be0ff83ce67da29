#include "models/alpha/stable_density.hpp"

#include <boost/math/special_functions/gamma.hpp>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <stdexcept>
#include <vector>

#include "simd/generalized_gamma.hpp"

namespace quasar {

namespace {

using std::numbers::pi;

constexpr double spacing = 0.03125;  // of log r in the table
constexpr double negligible = 36;    // -log of what is left out at both ends of the integrals

// Before, g(r) = g(0) (1 - r^2 curvature) to 1e-7: both moments are those of rho exp(-rho^alpha).
double log_r_near_zero(double alpha) {
  return -8 - (boost::math::lgamma(4 / alpha) - boost::math::lgamma(2 / alpha) - std::log(4)) / 2;
}

// Beyond, g(r) r^(2 + alpha) is constant to 1e-6, since the next term of the series is smaller by r^-alpha.
double log_r_far_out(double alpha) { return 14 / alpha + 1; }

struct Node {
  double log_weight, log_rate;  // g(r) = sum of exp(log_weight - r^2 exp(log_rate))
};

// Of both integrals. exp(-r^2 E^kappa) dies out as a function of log E within a strip of the complex plane that narrows
// with kappa. Far out along T is what makes the tail: there B ~ (pi - T)^(-1/a).
std::vector<Node> nodes_of(double a, double largest_log_r) {
  const double kappa = (1 - a) / a, along_t = 0.35, along_e = std::min(0.35, 0.6 / kappa);
  std::vector<Node> nodes;
  const auto steps = [](double from, double to, double step) { return static_cast<int>((to - from) / step); };
  const int steps_t = steps(-negligible, negligible + 2 * a * largest_log_r, along_t),
            steps_e = steps(-negligible, 4, along_e);
  for (int t = 0; t <= steps_t; ++t) {
    const double z = t * along_t - negligible;
    const double from_pi = pi / (1 + std::exp(z)), from_zero = pi / (1 + std::exp(-z));
    const double nearer = std::sin(std::min(from_pi, from_zero));
    const double log_b =
        std::log(std::sin(a * from_zero)) + kappa * std::log(std::sin((1 - a) * from_zero)) - std::log(nearer) / a;
    const double log_dt = std::log(from_zero) + std::log(from_pi) - 2 * std::log(pi);  // T (pi - T) / pi^2 dz
    for (int e = 0; e <= steps_e; ++e) {
      const double y = e * along_e - negligible;
      const double log_rate = kappa * y - log_b - std::log(4);
      const double log_weight = log_dt + y - std::exp(y) + log_rate - std::log(pi) + std::log(along_t * along_e);
      nodes.push_back({log_weight, log_rate});
    }
  }
  return nodes;
}

double log_sum(const std::vector<Node>& nodes, double log_r, Vec& logs) {
  for (std::size_t k = 0; k < nodes.size(); ++k) {
    const double exponent = std::min(nodes[k].log_rate + 2 * log_r, 300.0);
    logs[static_cast<Index>(k)] = exponent;
  }
  simd::exponentials(logs.data(), logs.data(), nodes.size());
  double largest = -1e300;
  for (std::size_t k = 0; k < nodes.size(); ++k) {
    double& one = logs[static_cast<Index>(k)];
    one = nodes[k].log_weight - one;
    largest = std::max(largest, one);
  }
  logs.array() = (logs.array() - largest).max(-700);
  simd::exponentials(logs.data(), logs.data(), nodes.size());
  return largest + std::log(logs.sum());
}

// Through four points, at place t from the second (0 <= t <= 1).
double cubic(const double* y, double t) {
  const double before = -t * (t - 1) * (t - 2) / 6, here = (t + 1) * (t - 1) * (t - 2) / 2;
  const double next = -(t + 1) * t * (t - 2) / 2, after = (t + 1) * t * (t - 1) / 6;
  return before * y[0] + here * y[1] + next * y[2] + after * y[3];
}

}  // namespace

IsotropicStableDensity::IsotropicStableDensity(double alpha) : alpha_(alpha) {
  if (!(alpha >= least_alpha && alpha <= 2)) throw std::invalid_argument("density of stable numbers: alpha");
  if (alpha == 2) return;
  first_log_r_ = log_r_near_zero(alpha);
  const double last = log_r_far_out(alpha);
  const std::vector<Node> nodes = nodes_of(alpha / 2, last);
  Vec logs(std::ssize(nodes));
  table_.resize(static_cast<Index>((last - first_log_r_) / spacing) + 1);
  for (Index k = 0; k < table_.size(); ++k) {
    table_[k] = log_sum(nodes, first_log_r_ + spacing * static_cast<double>(k), logs);
  }
}

// Beyond the table g falls like r^-(2 + alpha).
double IsotropicStableDensity::log_at(double r) const {
  if (table_.size() == 0) return -r * r / 4 - std::log(4 * pi);
  const double place = (std::log(std::max(r, 1e-300)) - first_log_r_) / spacing;
  const Index last = table_.size() - 1;
  if (place <= 1) return table_[0];
  if (place >= static_cast<double>(last - 1)) {
    return table_[last - 1] - (2 + alpha_) * spacing * (place - static_cast<double>(last - 1));
  }
  const auto below = static_cast<Index>(place);
  return cubic(table_.data() + below - 1, place - static_cast<double>(below));
}

}  // namespace quasar
