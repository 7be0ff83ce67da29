#include "models/alpha/stable_density.hpp"

#include <boost/math/special_functions/gamma.hpp>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <stdexcept>
#include <vector>

#include <quasar/core.hpp>

#include "simd/generalized_gamma.hpp"

namespace quasar {

namespace {

using std::numbers::pi;

constexpr double negligible = 32;  // -log of what is left out at both ends of the integrals

// Before, g(r) = g(0) (1 - r^2 curvature) to 1e-7: both moments are those of rho exp(-rho^alpha).
double log_r_near_zero(double alpha) {
  return -8 - (boost::math::lgamma(4 / alpha) - boost::math::lgamma(2 / alpha) - std::log(4)) / 2;
}

// Beyond, g(r) r^(2 + alpha) is constant to 1e-6, since the next term of the series is smaller by r^-alpha.
double log_r_far_out(double alpha) { return 14 / alpha + 1; }

// Of log r in the table. Near alpha = 2 the slope of log g turns from that of a normal law, -r^2/2, to that of the tail
// within 1 over the difference of the two.
double spacing_for(double alpha) { return alpha < 1.8 ? 0x1p-5 : 0x1p-7; }

struct Node {
  double log_weight, log_rate;  // g(r) = sum of exp(log_weight - r^2 exp(log_rate))
};

// Of both integrals. exp(-r^2 E^kappa) dies out as a function of log E within a strip of the complex plane that narrows
// with kappa. Far out along T is what makes the tail: there B ~ (pi - T)^(-1/a).
std::vector<Node> nodes_of(double a, double largest_log_r) {
  const double kappa = (1 - a) / a, along_t = 0.42, along_e = std::min(0.42, 0.6 / kappa);
  std::vector<Node> nodes;
  const auto steps = [](double from, double to, double step) { return static_cast<int>((to - from) / step); };
  const int steps_t = steps(-negligible, negligible + 2 * a * largest_log_r, along_t),
            steps_e = steps(-negligible, 3.5, along_e);
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

struct Room {  // for each node
  Vec exponents, logs;
};

// log g and its slope by log r, -2 times the mean of r^2 exp(log_rate) over the nodes by what they add.
IsotropicStableDensity::Knot knot_at(const std::vector<Node>& nodes, double log_r, Room& room) {
  for (std::size_t k = 0; k < nodes.size(); ++k) {
    room.exponents[static_cast<Index>(k)] = std::min(nodes[k].log_rate + 2 * log_r, 300.0);
  }
  simd::exponentials(room.exponents.data(), room.exponents.data(), nodes.size());
  for (std::size_t k = 0; k < nodes.size(); ++k) {
    room.logs[static_cast<Index>(k)] = nodes[k].log_weight - room.exponents[static_cast<Index>(k)];
  }
  const double largest = room.logs.maxCoeff();
  room.logs.array() = (room.logs.array() - largest).max(-700);
  simd::exponentials(room.logs.data(), room.logs.data(), nodes.size());
  const double sum = room.logs.sum();
  return {largest + std::log(sum), -2 * room.exponents.cwiseMin(1e6).dot(room.logs) / sum};
}

// Hermite's cubic between two knots, at t from 0 to 1: off by at most spacing^4 / 384 times the fourth derivative.
double between(const IsotropicStableDensity::Knot& a, const IsotropicStableDensity::Knot& b, double spacing, double t) {
  const double u = 1 - t;
  return u * u * ((1 + 2 * t) * a.log_g + t * spacing * a.slope) +
         t * t * ((1 + 2 * u) * b.log_g - u * spacing * b.slope);
}

}  // namespace

IsotropicStableDensity::IsotropicStableDensity(double alpha) : alpha_(alpha), spacing_(spacing_for(alpha)) {
  if (!(alpha >= least_alpha && alpha <= 2)) throw std::invalid_argument("density of stable numbers: alpha");
  if (alpha == 2) return;
  first_log_r_ = log_r_near_zero(alpha);
  const double last = log_r_far_out(alpha);
  const std::vector<Node> nodes = nodes_of(alpha / 2, last);
  Room room{Vec(std::ssize(nodes)), Vec(std::ssize(nodes))};
  const auto knots = static_cast<int>((last - first_log_r_) / spacing_) + 1;
  for (int k = 0; k < knots; ++k) table_.push_back(knot_at(nodes, first_log_r_ + k * spacing_, room));
}

// Beyond the table g falls like r^-(2 + alpha).
double IsotropicStableDensity::log_at(double r) const {
  if (table_.empty()) return -r * r / 4 - std::log(4 * pi);
  const double place = (std::log(std::max(r, 1e-300)) - first_log_r_) / spacing_;
  const auto last = static_cast<double>(table_.size() - 1);
  if (place <= 0) return table_.front().log_g;
  if (place >= last) return table_.back().log_g - (2 + alpha_) * spacing_ * (place - last);
  const auto below = static_cast<std::size_t>(place);
  return between(table_[below], table_[below + 1], spacing_, place - static_cast<double>(below));
}

}  // namespace quasar
