#include "manifolds/log_quadrature.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

namespace quasar {
namespace {

constexpr Index nodes_together = 4;  // numbers of nodes are multiples of it, so that there are few rules

Index nodes_for(double k) {
  constexpr double cos_phi = 0.1, error = 0.5 * std::numeric_limits<double>::epsilon();
  const double log_rho = std::asinh(2 * std::acos(cos_phi) / k);
  const double size = 0.5 * k * (64.0 / 15) * std::sinh(0.5 * k) / (cos_phi * cos_phi) / -std::expm1(-2 * log_rho);
  const double nodes = 1 + std::max(0.0, std::log(size / error)) / (2 * log_rho);
  return static_cast<Index>(std::ceil(nodes / nodes_together)) * nodes_together;
}

struct Legendre {
  double value, slope;
};
Legendre legendre(Index degree, double x) {
  double before = 1, value = x;
  for (Index j = 2; j <= degree; ++j) {
    const auto k = static_cast<double>(j);
    const double next = ((2 * k - 1) * x * value - (k - 1) * before) / k;
    before = value;
    value = next;
  }
  return {value, static_cast<double>(degree) * (x * value - before) / (x * x - 1)};
}

}  // namespace

// The zeros of the Legendre polynomial by Newton's method.
const LogQuadrature::Rule& LogQuadrature::rule(Index nodes) {
  const auto place = static_cast<std::size_t>(nodes / nodes_together);
  if (rules_.size() <= place) rules_.resize(place + 1);
  Rule& rule = rules_[place];
  if (rule.nodes.size() > 0) return rule;
  rule.nodes.resize(nodes);
  rule.weights.resize(nodes);
  for (Index i = 0; i < nodes; ++i) {
    double x = -std::cos(std::numbers::pi * (static_cast<double>(i) + 0.75) / (static_cast<double>(nodes) + 0.5));
    for (int step = 0; step < 5; ++step) {
      const auto [value, slope] = legendre(nodes, x);
      x -= value / slope;
    }
    const double slope = legendre(nodes, x).slope;
    rule.nodes[i] = 0.5 * (1 + x);
    rule.weights[i] = 1 / ((1 - x * x) * slope * slope);
  }
  return rule;
}

void LogQuadrature::fit(double low, double high) {
  constexpr double least_condition = 2;
  const double k = std::acosh(std::sqrt(std::max(high / low, least_condition)));
  const Rule& gauss = rule(nodes_for(k));
  const double middle = std::sqrt(low) * std::sqrt(high);
  const Eigen::ArrayXd p = (k * (1 - gauss.nodes)).sinh();
  shifts_ = (k * gauss.nodes).sinh() / p;
  weights_ = k * std::sinh(k) * gauss.weights / p.square();
  constant_ = std::log(middle) + (weights_ / (1 + shifts_)).sum();
  shifts_ *= middle;
  weights_ *= middle;
}

}  // namespace quasar
