// Precisions of normal numbers with a Gamma prior, by their logarithm.
#pragma once

#include <algorithm>
#include <cmath>

#include <quasar/core.hpp>
#include <quasar/rng.hpp>

namespace quasar {

struct GammaPrior {
  double shape = 1, rate = 1;
};

inline double log_mean(const GammaPrior& prior) { return std::log(prior.shape / prior.rate); }

// The log density of v = log(precision) that is Gamma(shape, rate), without its constant, where also `count` numbers
// that are N(0, 1/precision) have this sum of squares; and its derivative.
struct PrecisionTerm {
  double logp, slope;
  PrecisionTerm(double v, const GammaPrior& prior, double count = 0, double squares = 0) {
    const double power = prior.shape + count / 2, total = std::exp(v) * (prior.rate + squares / 2);
    logp = power * v - total;
    slope = power - total;
  }
};

inline double draw_log_precision(const GammaPrior& prior, double count, double squares, Stream& stream) {
  return std::log(stream.gamma(prior.shape + count / 2) / (prior.rate + squares / 2));
}

// Gibbs steps lower the precision of numbers that grow: a chain whose steps are too large walks away to any distance
// and nothing else need stop it. Under its prior a precision is below e times its mean with probability e at most where
// the shape is 1 or more, and below e^(1/shape) times its mean where it is less.
inline double least_log_precision(const GammaPrior& prior) {
  constexpr double improbable = 1e-8;
  return log_mean(prior) + std::log(improbable) / std::min(1.0, prior.shape);
}

}  // namespace quasar
