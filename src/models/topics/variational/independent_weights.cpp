#include "models/topics/variational/independent_weights.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "models/topics/variational/decay.hpp"
#include "models/topics/variational/special_functions.hpp"

namespace quasar {

double StickTerms::value(const BetaLaw& V) const {
  if (!(std::min(V.first, V.second) > 1e-6 && std::max(V.first, V.second) < 1e12)) {
    return -std::numeric_limits<double>::infinity();
  }
  return count * V.mean_log() + (alpha - 1) * V.mean_log_complement() - weight * V.mean() + V.entropy();
}

Slopes StickTerms::slopes(const BetaLaw& V) const {
  const double a = V.first, b = V.second, sum = a + b;
  const double both = trigamma(sum) * (sum - 1 - count - alpha), tilt = weight / (sum * sum);
  return {trigamma(a) * (count - a + 1) + both - tilt * b, trigamma(b) * (alpha - b) + both + tilt * a};
}

IndependentWeights::IndependentWeights(Index topics, const StickPrior& prior)
    : V(static_cast<std::size_t>(topics)), T(V.size() - 1), prior_(prior) {
  start(1);
}

void IndependentWeights::start(double mean) {
  whole.start(mean * static_cast<double>(V.size()), prior_);
  std::fill(V.begin(), V.end(), BetaLaw{1, 1});
  for (auto& law : T) law = {2, 2};
}

double IndependentWeights::mean_decay(std::size_t k) const { return k == 0 ? 1 : T[k - 1].mean_exp_minus(); }

double IndependentWeights::decay_power(std::size_t k) const { return static_cast<double>(k) - 1; }

Vec IndependentWeights::mean_logs() const {
  Vec logs(std::ssize(V));
  const double log_total = whole.total.mean_log();
  for (std::size_t k = 0; k < V.size(); ++k) {
    const double decay = k == 0 ? 0 : T[k - 1].mean();
    logs[static_cast<Index>(k)] = std::max(least_log_weight, log_total + V[k].mean_log() - decay);
  }
  return logs;
}

double IndependentWeights::sum_of_shares() const {
  double sum = 0;
  for (std::size_t k = 0; k < V.size(); ++k) sum += V[k].mean() * mean_decay(k);
  return sum;
}

double IndependentWeights::total() const { return whole.total.mean() * sum_of_shares(); }

void IndependentWeights::line(Index i, const WeightEvidence& evidence) {
  const double scale = evidence.exposure * whole.total.mean();
  const auto count = [&](std::size_t k) { return evidence.counts[static_cast<Index>(k)]; };
  switch (i) {
    case 0:
      whole.total = {whole.alpha + evidence.counts.sum(), whole.c.mean() + evidence.exposure * sum_of_shares()};
      return;
    case 1:
      for (std::size_t k = 0; k < V.size(); ++k) {
        V[k] = ascended(V[k], StickTerms{count(k), whole.alpha, scale * mean_decay(k)});
      }
      return;
    case 2:
      for (std::size_t k = 1; k < V.size(); ++k) {
        const DecayTerms terms{decay_power(k), whole.alpha + count(k)};
        T[k - 1] = ascended(T[k - 1], DecayOfWeight{terms, scale * V[k].mean()});
      }
      return;
    case 3:
      return whole.learn_c(prior_);
    default: {
      const auto topics = static_cast<double>(V.size());
      double slope = 0;
      for (const BetaLaw& law : V) slope += law.mean_log_complement();
      for (const GammaLaw& law : T) slope -= law.mean();
      return whole.learn_alpha(topics + topics * (topics - 1) / 2, slope, prior_);
    }
  }
}

double IndependentWeights::bound() const {
  const double log_alpha = std::log(whole.alpha);
  double sum = whole.bound(prior_);
  for (const BetaLaw& law : V) sum += log_alpha + (whole.alpha - 1) * law.mean_log_complement() + law.entropy();
  for (std::size_t k = 1; k < V.size(); ++k) {
    const double power = decay_power(k);
    sum += (power + 1) * log_alpha - log_gamma(power + 1) + DecayTerms{power, whole.alpha}.value(T[k - 1]);
  }
  return sum;
}

}  // namespace quasar
