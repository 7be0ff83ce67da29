#include "models/topics/variational/atom_weights.hpp"

#include <algorithm>
#include <cmath>

#include "models/topics/variational/decay.hpp"
#include "models/topics/variational/special_functions.hpp"

namespace quasar {
namespace {

GammaLaw law_of(const GammaPrior& prior) { return {prior.shape, prior.rate}; }

}  // namespace

AtomWeights::AtomWeights(Index topics, const GammaProcessHyperpriors& prior)
    : E(static_cast<std::size_t>(topics)), T(E.size()), rounds(prior.rounds, topics), prior_(prior) {
  start(1);
}

void AtomWeights::start(double mean) {
  std::fill(E.begin(), E.end(), GammaLaw{1 + mean, 1});
  std::fill(T.begin(), T.end(), GammaLaw{2, 2});
  rounds.setConstant(1 / static_cast<double>(prior_.rounds));
  alpha = law_of(prior_.alpha);
  c = law_of(prior_.c);
  gamma = law_of(prior_.gamma);
}

Vec AtomWeights::mean_logs() const {
  Vec logs(std::ssize(E));
  for (std::size_t k = 0; k < E.size(); ++k) {
    logs[static_cast<Index>(k)] = std::max(least_log_weight, E[k].mean_log() - T[k].mean());
  }
  return logs;
}

double AtomWeights::total() const {
  double sum = 0;
  for (std::size_t k = 0; k < E.size(); ++k) sum += E[k].mean() * T[k].mean_exp_minus();
  return sum;
}

void AtomWeights::line(Index i, const WeightEvidence& evidence) {
  switch (i) {
    case 0:
      return learn_E(evidence);
    case 1:
      return learn_T(evidence);
    case 2:
      return learn_rounds();
    case 3:
      return learn_alpha();
    case 4:
      return learn_c();
    default:
      return learn_gamma();
  }
}

void AtomWeights::learn_E(const WeightEvidence& evidence) {
  for (std::size_t k = 0; k < E.size(); ++k) {
    E[k] = {1 + evidence.counts[static_cast<Index>(k)], c.mean() + evidence.exposure * T[k].mean_exp_minus()};
  }
}

void AtomWeights::learn_T(const WeightEvidence& evidence) {
  const Vec before = Vec::LinSpaced(rounds.rows(), 0, static_cast<double>(rounds.rows() - 1));  // r - 1
  for (std::size_t k = 0; k < T.size(); ++k) {
    const auto i = static_cast<Index>(k);
    const DecayTerms terms{before.dot(rounds.col(i)), alpha.mean() + evidence.counts[i]};
    T[k] = ascended(T[k], DecayOfWeight{terms, evidence.exposure * E[k].mean()});
  }
}

// f_k(r) ~ exp(r E log alpha - log Gamma(r) + (r - 1) E log T_k)
void AtomWeights::learn_rounds() {
  const double log_alpha = alpha.mean_log();
  for (Index k = 0; k < rounds.cols(); ++k) {
    const double log_T = T[static_cast<std::size_t>(k)].mean_log();
    auto f = rounds.col(k);
    for (Index r = 0; r < f.size(); ++r) {
      const auto before = static_cast<double>(r);
      f[r] = before * (log_alpha + log_T) - log_gamma(before + 1);
    }
    f = (f.array() - f.maxCoeff()).exp();
    f /= f.sum();
  }
}

void AtomWeights::learn_alpha() {
  const Vec numbers = Vec::LinSpaced(rounds.rows(), 1, static_cast<double>(rounds.rows()));
  alpha = law_of(prior_.alpha);
  alpha.shape += (numbers.transpose() * rounds).sum();
  for (const GammaLaw& law : T) alpha.rate += law.mean();
}

void AtomWeights::learn_c() {
  c = law_of(prior_.c);
  c.shape += static_cast<double>(E.size());
  for (const GammaLaw& law : E) c.rate += law.mean();
}

void AtomWeights::learn_gamma() {
  gamma = law_of(prior_.gamma);
  gamma.shape += static_cast<double>(E.size());
  gamma.rate += static_cast<double>(prior_.rounds);
}

double AtomWeights::bound() const {
  const auto atoms = static_cast<double>(E.size());
  double sum = bound_of(alpha, prior_.alpha) + bound_of(c, prior_.c) + bound_of(gamma, prior_.gamma);
  sum += atoms * gamma.mean_log() - static_cast<double>(prior_.rounds) * gamma.mean() - log_gamma(atoms + 1);
  const double log_alpha = alpha.mean_log(), log_c = c.mean_log();
  for (std::size_t k = 0; k < E.size(); ++k) {
    sum += log_c - c.mean() * E[k].mean() + E[k].entropy();
    sum += T[k].entropy() - alpha.mean() * T[k].mean();
    const double log_T = T[k].mean_log();
    for (Index r = 0; r < rounds.rows(); ++r) {
      const double f = rounds(r, static_cast<Index>(k)), before = static_cast<double>(r);
      if (f > 0) sum += f * ((before + 1) * log_alpha - log_gamma(before + 1) + before * log_T - std::log(f));
    }
  }
  return sum;
}

std::vector<NamedNumber> AtomWeights::scalars() const {
  return {{"alpha", alpha.mean()}, {"gamma", gamma.mean()}, {"c", c.mean()}};
}

}  // namespace quasar
