#include "models/topics/gamma_process_prior.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace quasar {
namespace {

constexpr double smallest = 1e-300, largest = 1e300;

// Away from 0, so that it has a logarithm, and finite.
double within_range(double positive) { return std::clamp(positive, smallest, largest); }

// A step of slice sampling with stepping out and shrinkage (Neal 2003, figures 3 and 5), which leaves the law of log
// density `logp` of the logarithm of a number in range as it is. It does not step out beyond: far from where millions
// of tokens want a number to be, the slice is as wide as they are many.
template <class LogDensity>
double draw_slice(double at, double width, const LogDensity& logp, Stream& draws) {
  static const double least = std::log(smallest), most = std::log(largest);
  const double level = logp(at) - draws.exponential();
  double low = at - width * draws.uniform(), high = low + width;
  while (low > least && logp(low) > level) low -= width;
  while (high < most && logp(high) > level) high += width;
  for (;;) {
    const double next = low + (high - low) * draws.uniform();
    if (logp(next) > level) return next;
    if (next == at || high - low <= std::abs(at) * std::numeric_limits<double>::epsilon()) return at;
    (next < at ? low : high) = next;
  }
}

double draw_gamma(double shape, double rate, Stream draws) { return within_range(draws.gamma(shape) / rate); }

// Of log alpha given all T: (a1 + K) log alpha - a2 alpha + sum_k log Q(R, alpha T_k).
double draw_alpha(const GammaProcessHyperpriors& prior, const GammaProcessAtoms& atoms, Stream draws) {
  const auto logp = [&](double log_alpha) {
    const double alpha = std::exp(log_alpha);
    double sum = (prior.alpha.shape + static_cast<double>(atoms.count())) * log_alpha - prior.alpha.rate * alpha;
    for (const double T : atoms.T) sum += upper_gamma(prior.rounds, alpha * T).log;
    return sum;
  };
  return within_range(std::exp(draw_slice(std::log(atoms.alpha), 1, logp, draws)));
}

}  // namespace

double GammaProcessAtoms::weight(Index k) const { return E[k] * std::exp(-T[k]); }
Vec GammaProcessAtoms::weights() const { return E.array() * (-T.array()).exp(); }

void GammaProcessAtoms::resize(Index atoms) {
  T.conservativeResize(atoms);
  E.conservativeResize(atoms);
}

GammaProcessAtoms draw_prior_hyperparameters(const GammaProcessHyperpriors& prior, const Rng& rng) {
  GammaProcessAtoms atoms;
  atoms.alpha = draw_gamma(prior.alpha.shape, prior.alpha.rate, rng.stream("alpha"));
  atoms.gamma = draw_gamma(prior.gamma.shape, prior.gamma.rate, rng.stream("gamma"));
  atoms.c = draw_gamma(prior.c.shape, prior.c.rate, rng.stream("c"));
  return atoms;
}

GammaProcessAtoms draw_prior_atoms(const GammaProcessHyperpriors& prior, const Rng& rng) {
  GammaProcessAtoms atoms = draw_prior_hyperparameters(prior, rng);
  const auto count = rng.stream("number of atoms").poisson(static_cast<double>(prior.rounds) * atoms.gamma);
  draw_prior_atoms(count, prior.rounds, atoms, rng);
  return atoms;
}

void draw_prior_atoms(Index count, Index rounds, GammaProcessAtoms& atoms, const Rng& rng) {
  atoms.resize(count);
  Stream draws = rng.stream("atoms");
  for (Index k = 0; k < count; ++k) draw_prior_atom(k, rounds, atoms, draws);
}

void draw_prior_atom(Index k, Index rounds, GammaProcessAtoms& atoms, Stream& draws) {
  const auto round = static_cast<double>(1 + draws.index(rounds));
  atoms.T[k] = within_range(draws.gamma(round) / atoms.alpha);
  atoms.E[k] = draws.exponential() / atoms.c;
}

// Both h and Q by the terms of the sum from the last to the first, each over the one before: y^(R-1)/(R-1)! / sum =
// 1 / (1 + (R-1)/y (1 + (R-2)/y (1 + ...))). Where that overflows h is 0 and Q is 1.
UpperGamma upper_gamma(Index rounds, double y) {
  double rest = 1;
  for (Index i = 1; i < rounds; ++i) rest = 1 + static_cast<double>(i) / y * rest;
  if (!std::isfinite(rest)) return {0, 0};
  const auto last = static_cast<double>(rounds - 1);
  const double log_last = rounds > 1 ? last * std::log(y) - std::lgamma(last + 1) : 0;
  return {log_last - y + std::log(rest), 1 / rest};
}

double log_density_of_log_T(double eta, Index rounds, double count, double exposure, double alpha, double c) {
  const double T = std::exp(eta);
  return eta + upper_gamma(rounds, alpha * T).log - count * T - (count + 1) * std::log(c + exposure * std::exp(-T));
}

void update_atoms(In counts, double exposure, Index rounds, GammaProcessAtoms& atoms, const Rng& rng) {
  for (Index k = 0; k < atoms.count(); ++k) {
    Stream draws = rng.child("atom", static_cast<std::uint64_t>(k)).stream("weight");
    const auto logp = [&](double eta) {
      return log_density_of_log_T(eta, rounds, counts[k], exposure, atoms.alpha, atoms.c);
    };
    atoms.T[k] = within_range(std::exp(draw_slice(std::log(atoms.T[k]), 1, logp, draws)));
    atoms.E[k] = draws.gamma(1 + counts[k]) / (atoms.c + exposure * std::exp(-atoms.T[k]));
  }
}

void update_hyperparameters(const GammaProcessHyperpriors& prior, GammaProcessAtoms& atoms, const Rng& rng) {
  const auto count = static_cast<double>(atoms.count()), rounds = static_cast<double>(prior.rounds);
  atoms.alpha = draw_alpha(prior, atoms, rng.stream("alpha"));
  atoms.c = draw_gamma(prior.c.shape + count, prior.c.rate + atoms.E.sum(), rng.stream("c"));
  atoms.gamma = draw_gamma(prior.gamma.shape + count, prior.gamma.rate + rounds, rng.stream("gamma"));
}

}  // namespace quasar
