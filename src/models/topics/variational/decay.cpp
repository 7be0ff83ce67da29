#include "models/topics/variational/decay.hpp"

#include <limits>

#include "models/topics/variational/special_functions.hpp"

namespace quasar {
namespace {

constexpr double least_number = 1e-3, most_number = 1e9;  // of a law

bool allowed(const GammaLaw& T) {
  const auto inside = [](double x) { return x >= least_number && x <= most_number; };
  return inside(T.shape) && inside(T.rate) && T.mean() <= longest_decay;
}

}  // namespace

double DecayTerms::value(const GammaLaw& T) const {
  if (!allowed(T)) return -std::numeric_limits<double>::infinity();
  return power * T.mean_log() - rate * T.mean() + T.entropy();
}

Slopes DecayTerms::slopes(const GammaLaw& T) const {
  const double u = T.shape, v = T.rate;
  return {1 + (power + 1 - u) * trigamma(u) - rate / v, rate * u / (v * v) - (power + 1) / v};
}

double DecayOfWeight::value(const GammaLaw& T) const { return terms.value(T) - weight * T.mean_exp_minus(); }

Slopes DecayOfWeight::slopes(const GammaLaw& T) const {
  const double u = T.shape, v = T.rate, scaled = weight * T.mean_exp_minus();
  const Slopes rest = terms.slopes(T);
  return {rest[0] + scaled * std::log1p(1 / v), rest[1] - scaled * u / (v * (v + 1))};
}

double DecayOfProbability::value(const GammaLaw& T) const {
  const double rest = terms.value(T);
  return std::isfinite(rest) ? rest + weight * mean_log_complement(T).value : rest;
}

Slopes DecayOfProbability::slopes(const GammaLaw& T) const {
  const Slopes rest = terms.slopes(T), more = mean_log_complement(T).slopes;
  return {rest[0] + weight * more[0], rest[1] + weight * more[1]};
}

// log(1 - exp(-T)) = log T + h(T), where h(T) = log((1 - exp(-T)) / T) is smooth, and about -T/2 near 0. E h is an
// integral over x = log T of a function that falls quickly on both sides of x = log((u + 1) / v), for which the
// trapezoidal rule converges exponentially (Trefethen and Weideman 2014). Derivatives of E h are its covariances with
// log T and -T.
ComplementOfDecay mean_log_complement(const GammaLaw& T) {
  const double u = T.shape, v = T.rate, mean_log = T.mean_log(), constant = u * std::log(v) - log_gamma(u);
  const double step = 0.25 / std::sqrt(1 + u / 8), middle = std::log((u + 1) / v);
  double sum = 0, with_log = 0, with_T = 0;
  const auto add = [&](double x) {
    const double t = std::exp(x), density = std::exp(constant + u * x - v * t);
    const double term = density * (t < 1e-5 ? t / 24 * t - t / 2 : std::log(-std::expm1(-t) / t));
    sum += term;
    with_log += term * (x - mean_log);
    with_T += term * (u / v - t);
    return std::abs(term);
  };
  add(middle);
  for (const double sign : {-1.0, 1.0}) {
    for (int i = 1; add(middle + sign * i * step) > 1e-18 * std::abs(sum); ++i) {
    }
  }
  return {mean_log + step * sum, {trigamma(u) + step * with_log, -1 / v + step * with_T}};
}

}  // namespace quasar
