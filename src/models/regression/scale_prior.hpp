// Priors of positive parameters that are sampled by their logarithm: density and Jacobian in one.
#pragma once

#include <algorithm>
#include <cmath>

namespace quasar {

// log(1 + e^a) without overflow.
inline double softplus(double a) { return std::max(a, 0.0) + std::log1p(std::exp(-std::fabs(a))); }

// e^s ~ half-normal(0, sd): the log density of s, its Jacobian s included, is added without its constant; d/ds is
// written.
inline void add_half_normal(double s, double sd, double& logp, double& slope) {
  const double ratio = std::exp(s) / sd;
  slope = 1 - ratio * ratio;
  logp -= 0.5 * ratio * ratio;
  logp += s;
}

// e^s ~ half-Cauchy(0, scale): -log(1 + r) + s with r = (e^s / scale)^2.
inline void add_half_cauchy(double s, double scale, double& logp, double& slope) {
  const double log_r = 2 * (s - std::log(scale));
  slope = 1 - 2 / (1 + std::exp(-log_r));
  logp += s - softplus(log_r);
}

}  // namespace quasar
