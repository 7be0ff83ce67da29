#include <algorithm>
#include <cmath>
#include <memory>
#include <stdexcept>

#include <quasar/diagnostics.hpp>

#include "diagnostics/chains.hpp"
#include "diagnostics/effective_sample_size.hpp"
#include "diagnostics/ranks.hpp"

namespace quasar {

using namespace diagnostics;

namespace {

constexpr Summary kAllUndefined{kUndefined, kUndefined, kUndefined, kUndefined, kUndefined,
                                kUndefined, kUndefined, kUndefined, kUndefined};

}  // namespace

struct Summarizer::Workspace {
  Workspace(Index draws_per_chain, Index number_of_chains)
      : draws(draws_per_chain), chains(number_of_chains), ranks(draws, chains), autocovariance(draws / 2) {}

  double ess(const Mat& halves_of_chains) { return effective_sample_size(halves_of_chains, autocovariance); }

  Index draws, chains;
  RankedDraws ranks;
  Autocovariance autocovariance;
  Mat halves;
};

Summarizer::Summarizer(Index draws, Index chains) : workspace_(std::make_unique<Workspace>(draws, chains)) {}
Summarizer::~Summarizer() = default;
Summarizer::Summarizer(Summarizer&&) noexcept = default;
Summarizer& Summarizer::operator=(Summarizer&&) noexcept = default;

Summary Summarizer::operator()(DrawsByChain draws) {
  Workspace& work = *workspace_;
  if (draws.rows() != work.draws || draws.cols() != work.chains) {
    throw std::invalid_argument("the draws do not have the shape that this Summarizer was made for");
  }
  Summary summary = kAllUndefined;
  if (!has_values(draws)) return summary;

  work.ranks.sort(draws);
  summary.mean = mean(draws);
  summary.sd = sd(draws);
  summary.q5 = quantile_of_sorted(work.ranks.sorted(), 0.05);
  summary.q50 = quantile_of_sorted(work.ranks.sorted(), 0.50);
  summary.q95 = quantile_of_sorted(work.ranks.sorted(), 0.95);
  if (!has_enough_draws(draws)) return summary;

  split_chains(draws, work.halves);
  summary.mcse_mean = summary.sd / std::sqrt(work.ess(work.halves));
  summary.ess_tail =
      std::min(work.ess(not_above(summary.q5, work.halves)), work.ess(not_above(summary.q95, work.halves)));
  summary.ess_bulk = work.ess(work.ranks.bulk());
  if (work.chains > 1) summary.rhat = rank_normalized_rhat(work.ranks);
  return summary;
}

Summary summarize(DrawsByChain draws) { return Summarizer(draws.rows(), draws.cols())(draws); }

}  // namespace quasar
