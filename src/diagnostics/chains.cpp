#include "diagnostics/chains.hpp"

#include <cmath>

namespace quasar::diagnostics {

bool has_values(DrawsByChain draws) { return draws.size() > 0 && !draws.hasNaN(); }

bool has_enough_draws(DrawsByChain draws) { return has_values(draws) && draws.rows() >= 4; }

void split_chains(DrawsByChain draws, Mat& halves) {
  const Index half = draws.rows() / 2;
  halves.resize(half, 2 * draws.cols());
  for (Index chain = 0; chain < draws.cols(); ++chain) {
    halves.col(2 * chain) = draws.col(chain).head(half);
    halves.col(2 * chain + 1) = draws.col(chain).tail(half);
  }
}

Mat split_chains(DrawsByChain draws) {
  Mat halves;
  split_chains(draws, halves);
  return halves;
}

Mat not_above(double threshold, const Mat& chains) { return (chains.array() <= threshold).cast<double>(); }

double chain_mean(In chain) { return chain[0] + (chain.array() - chain[0]).mean(); }

double variance(In x) { return (x.array() - chain_mean(x)).square().sum() / static_cast<double>(x.size() - 1); }

double variance_of_means(const Mat& chains) {
  Vec means(chains.cols());
  for (Index chain = 0; chain < chains.cols(); ++chain) means[chain] = chain_mean(chains.col(chain));
  return variance(means);
}

double potential_scale_reduction(const Mat& chains) {
  const auto n = static_cast<double>(chains.rows());
  double within = 0;
  for (const auto& chain : chains.colwise()) within += variance(chain);
  within /= static_cast<double>(chains.cols());
  const double between = n * variance_of_means(chains);
  return std::sqrt((between / within + n - 1) / n);
}

}  // namespace quasar::diagnostics
