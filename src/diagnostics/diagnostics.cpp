#include <boost/math/special_functions/beta.hpp>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <vector>

#include <quasar/diagnostics.hpp>

#include "diagnostics/chains.hpp"
#include "diagnostics/effective_sample_size.hpp"
#include "diagnostics/ranks.hpp"

namespace quasar {

using namespace diagnostics;

namespace {

void require_probability(double p) {
  if (!(p >= 0 && p <= 1)) throw std::invalid_argument("the probability of a quantile must lie between 0 and 1");
}

Mat deviations(DrawsByChain draws) { return draws.array() - mean(draws); }

}  // namespace

// The copy makes the sum independent of the alignment of the caller's memory.
double mean(DrawsByChain draws) {
  if (!has_values(draws)) return kUndefined;
  const Mat aligned = draws;
  return aligned.allFinite() ? chain_mean(aligned.reshaped()) : aligned.mean();
}

double sd(DrawsByChain draws) {
  if (!has_values(draws)) return kUndefined;
  return std::sqrt(deviations(draws).squaredNorm() / static_cast<double>(draws.size() - 1));
}

double quantile(DrawsByChain draws, double probability) {
  require_probability(probability);
  if (!has_values(draws)) return kUndefined;
  return quantile_of_sorted(sorted_values(draws), probability);
}

double rhat(DrawsByChain draws) {
  if (!has_enough_draws(draws) || draws.cols() < 2) return kUndefined;
  RankedDraws ranks(draws.rows(), draws.cols());
  ranks.sort(draws);
  return rank_normalized_rhat(ranks);
}

double ess_mean(DrawsByChain draws) {
  if (!has_enough_draws(draws)) return kUndefined;
  return effective_sample_size(split_chains(draws));
}

double ess_bulk(DrawsByChain draws) {
  if (!has_enough_draws(draws)) return kUndefined;
  RankedDraws ranks(draws.rows(), draws.cols());
  ranks.sort(draws);
  return effective_sample_size(ranks.bulk());
}

double ess_quantile(DrawsByChain draws, double probability) {
  require_probability(probability);
  if (!has_enough_draws(draws)) return kUndefined;
  const double threshold = quantile(draws, probability);
  return effective_sample_size(not_above(threshold, split_chains(draws)));
}

double autocorrelation_time(DrawsByChain draws) {
  if (!has_enough_draws(draws)) return kUndefined;
  Autocovariance autocovariance(draws.rows() / 2);
  return integrated_time(split_chains(draws), autocovariance);
}

double one_sided_autocorrelation_time(DrawsByChain draws) { return (1 + autocorrelation_time(draws)) / 2; }

double ess_tail(DrawsByChain draws) { return std::min(ess_quantile(draws, 0.05), ess_quantile(draws, 0.95)); }

double mcse_mean(DrawsByChain draws) { return sd(draws) / std::sqrt(ess_mean(draws)); }

// The variance of the sample variance is Var[d^2] / ESS(d^2) with d = x - mean (Kenney and Keeping 1951),
// and the delta method divides it by 4 E[d^2] for the sd.
double mcse_sd(DrawsByChain draws) {
  if (!has_enough_draws(draws)) return kUndefined;
  const Mat squares = deviations(draws).array().square();
  const double variance = squares.mean();
  const double variance_of_variance = (squares.array() - variance).square().mean() / ess_mean(squares);
  return std::sqrt(variance_of_variance / variance / 4);
}

// Half the distance between the draws at the 16 % and 84 % points of the quantile's own posterior, Beta(ESS p + 1,
// ESS (1 - p) + 1): one standard error for a normal (Vehtari et al. 2021).
double mcse_quantile(DrawsByChain draws, double probability) {
  constexpr double kLower = 0.1586553, kUpper = 0.8413447;  // Phi(-1), Phi(1), to the digits ArviZ and R use
  const double ess = ess_quantile(draws, probability);
  if (std::isnan(ess)) return kUndefined;
  const std::vector<double> sorted = sorted_values(draws);
  const auto size = static_cast<double>(sorted.size());
  const auto rank = [&](double p) {
    return size * boost::math::ibeta_inv(ess * probability + 1, ess * (1 - probability) + 1, p) - 1;
  };
  const auto low = static_cast<std::size_t>(std::floor(std::max(rank(kLower), 0.0)));
  const auto high = static_cast<std::size_t>(std::ceil(std::min(rank(kUpper), size - 1)));
  return (sorted[high] - sorted[low]) / 2;
}

double ebfmi(In energy) {
  const Index n = energy.size();
  if (n < 2) return kUndefined;
  const double moved = (energy.tail(n - 1) - energy.head(n - 1)).squaredNorm();
  return moved / (energy.array() - chain_mean(energy)).square().sum();
}

}  // namespace quasar
