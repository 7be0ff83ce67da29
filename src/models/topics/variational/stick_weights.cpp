#include "models/topics/variational/stick_weights.hpp"

#include <algorithm>
#include <cmath>

#include "models/topics/variational/special_functions.hpp"

namespace quasar {

void TotalWeight::start(double mean, const StickPrior& prior) {
  alpha = prior.alpha.shape / prior.alpha.rate;
  c = {prior.c.shape, prior.c.rate};
  total = {1 + mean, 1};
}

void TotalWeight::learn_c(const StickPrior& prior) { c = {prior.c.shape + alpha, prior.c.rate + total.mean()}; }

// The derivative falls from infinity at 0 to minus infinity: one root, by bisection of log alpha.
void TotalWeight::learn_alpha(double count, double slope, const StickPrior& prior) {
  const double constant = slope - prior.alpha.rate + c.mean_log() + total.mean_log();
  double below = std::log(1e-8), above = std::log(1e8);
  for (int i = 0; i < 64; ++i) {
    const double middle = (below + above) / 2, a = std::exp(middle);
    ((count + prior.alpha.shape - 1) / a + constant - digamma(a) > 0 ? below : above) = middle;
  }
  alpha = std::exp((below + above) / 2);
}

double TotalWeight::bound(const StickPrior& prior) const {
  const GammaPrior& law = prior.alpha;
  return alpha * c.mean_log() - log_gamma(alpha) + (alpha - 1) * total.mean_log() - c.mean() * total.mean() +
         total.entropy() + bound_of(c, prior.c) + law.shape * std::log(law.rate) - log_gamma(law.shape) +
         (law.shape - 1) * std::log(alpha) - law.rate * alpha;
}

std::vector<NamedNumber> TotalWeight::scalars() const {
  return {{"alpha", alpha}, {"c", c.mean()}, {"total_weight", total.mean()}};
}

StickWeights::StickWeights(Index topics, const StickPrior& prior)
    : V(static_cast<std::size_t>(topics - 1)), prior_(prior) {
  start(1);
}

// Sticks of equal length.
void StickWeights::start(double mean) {
  whole.start(mean * static_cast<double>(V.size() + 1), prior_);
  for (std::size_t k = 0; k < V.size(); ++k) V[k] = {1, static_cast<double>(V.size() - k)};
}

Vec StickWeights::mean_logs() const {
  Vec logs(std::ssize(V) + 1);
  double rest = whole.total.mean_log();
  for (std::size_t k = 0; k < V.size(); ++k) {
    logs[static_cast<Index>(k)] = rest + V[k].mean_log();
    rest += V[k].mean_log_complement();
  }
  logs[std::ssize(V)] = rest;
  return logs.cwiseMax(least_log_weight);
}

double StickWeights::sum_of_log_rests() const {
  double sum = 0;
  for (const BetaLaw& law : V) sum += law.mean_log_complement();
  return sum;
}

void StickWeights::line(Index i, const WeightEvidence& evidence) {
  switch (i) {
    case 0:
      whole.total = {whole.alpha + evidence.counts.sum(), whole.c.mean() + evidence.exposure};
      return;
    case 1:
      return learn_V(evidence);
    case 2:
      return whole.learn_c(prior_);
    default:
      return whole.learn_alpha(static_cast<double>(V.size()), sum_of_log_rests(), prior_);
  }
}

void StickWeights::learn_V(const WeightEvidence& evidence) {
  double behind = evidence.counts[std::ssize(V)];
  for (std::size_t k = V.size(); k-- > 0;) {
    const double count = evidence.counts[static_cast<Index>(k)];
    V[k] = {1 + count, whole.alpha + behind};
    behind += count;
  }
}

double StickWeights::bound() const {
  double sum = whole.bound(prior_) + static_cast<double>(V.size()) * std::log(whole.alpha) +
               (whole.alpha - 1) * sum_of_log_rests();
  for (const BetaLaw& law : V) sum += law.entropy();
  return sum;
}

}  // namespace quasar
