#include "front/segment_fit.hpp"

#include <cmath>
#include <stdexcept>
#include <utility>

#include <quasar/diagnostics.hpp>
#include <quasar/runner.hpp>

#include "models/sequences/beam_emissions.hpp"
#include "models/sequences/beam_summary.hpp"

namespace quasar {
namespace {

int threads_of(const SegmentSettings& settings) {
  return settings.threads > 0 ? settings.threads : available_threads();
}

SelectedFit select(const Sequences& data, const SegmentSettings& settings) {
  return select_penalties(data, ihmm_options(settings), grid_of(data, settings), settings.selector);
}

FittedHmm fit_asymp_ihmm(const Sequences& data, const SegmentSettings& settings, Segmentation& found) {
  SelectedFit selected = select(data, settings);
  found.penalties = selected.penalties;
  found.objective = selected.fit.objective;
  found.converged = selected.fit.converged;
  if (selected.tried.size() > 1) found.tried = std::move(selected.tried);
  return fitted(data, ihmm_options(settings), selected.fit);
}

FittedHmm fit_asymp_hmm(const Sequences& data, const SegmentSettings& settings, const Rng& rng, Segmentation& found) {
  const AsympHmmOptions options = hmm_options(data, settings, rng);
  const HmmFit best = quasar::fit_asymp_hmm(data, options, rng);
  found.lambda = options.lambda;
  found.objective = best.objective;
  found.converged = best.converged;
  return fitted(data, options, best);
}

FittedHmm fit_hmm_em(const Sequences& data, const SegmentSettings& settings, const Rng& rng, Segmentation& found) {
  const HmmEmOptions options = em_options(settings);
  const HmmEmFit best = quasar::fit_hmm_em(data, options, rng);
  found.log_likelihood = best.log_likelihood;
  found.converged = best.converged;
  return fitted(data, options, best);
}

// Where asymp-ihmm ends, with the variance that its lambda = 2 s^2 says.
BeamState beam_start(const Sequences& data, const SegmentSettings& settings, const BeamOptions& options) {
  SelectedFit selected = select(data, settings);
  const double variance = selected.penalties.lambda / 2;
  return beam_state_at(data, options, std::move(selected.fit.states), variance > 0 ? variance : options.variance);
}

FittedHmm sample_ihmm(const Sequences& data, const SegmentSettings& settings, const Rng& rng, Segmentation& found,
                      std::span<ChainProgress> progress) {
  const BeamOptions options = default_beam_options(data, settings.emission);
  const BeamSchedule schedule{settings.warmup, settings.sweeps, settings.chains, threads_of(settings), settings.ahead};
  BeamRun run = run_beam(data, options, beam_start(data, settings, options), schedule, rng, progress);
  found.states_probability = run.states_probability;
  found.change_probability = run.change_probability;
  found.forecasts = std::move(run.forecasts);
  const double largest = std::fmax(rhat(run.states), rhat(run.log_density));
  if (!std::isnan(largest)) found.rhat = largest;
  IhmmFit best;
  best.states = run.best.states;
  best.stats = stats_of(settings.emission, data, best.states);
  return fitted(data, ihmm_options(settings), best);
}

}  // namespace

bool standardizes(const Sequences& data, const SegmentSettings& settings) {
  if (settings.emission != Emission::normal) return false;
  // The priors of the beam sampler are those of a series about 0 with variance 1.
  return settings.method == SegmentMethod::ihmm_beam || settings.standardize.value_or(data.dim() > 1);
}

AsympIhmmOptions ihmm_options(const SegmentSettings& settings) {
  AsympIhmmOptions options;
  options.emission = settings.emission;
  options.threads = threads_of(settings);
  return options;
}

AsympHmmOptions hmm_options(const Sequences& data, const SegmentSettings& settings, const Rng& rng) {
  AsympHmmOptions options;
  options.emission = settings.emission;
  options.states = static_cast<int>(settings.states);
  options.restarts = settings.restarts;
  options.lambda = settings.lambda ? *settings.lambda : lambda_by_data(data, options, rng.child("lambda"));
  return options;
}

HmmEmOptions em_options(const SegmentSettings& settings) {
  HmmEmOptions options;
  options.emission = settings.emission;
  options.states = static_cast<int>(settings.states);
  options.covariance = settings.covariance;
  options.restarts = settings.restarts;
  return options;
}

PenaltyGrid grid_of(const Sequences& data, const SegmentSettings& settings) {
  PenaltyGrid grid = default_grid(data, settings.emission);
  if (settings.lambda) grid.lambda = {*settings.lambda};
  if (settings.lambda1) grid.lambda1 = {*settings.lambda1};
  if (settings.lambda2) grid.lambda2 = {*settings.lambda2};
  return grid;
}

FittedHmm fit_segments(const Sequences& data, const SegmentSettings& settings, const Rng& rng, Segmentation& found,
                       std::span<ChainProgress> progress) {
  switch (settings.method) {
    case SegmentMethod::asymp_ihmm:
      return fit_asymp_ihmm(data, settings, found);
    case SegmentMethod::asymp_hmm:
      return fit_asymp_hmm(data, settings, rng, found);
    case SegmentMethod::hmm_em:
      return fit_hmm_em(data, settings, rng, found);
    case SegmentMethod::ihmm_beam:
      return sample_ihmm(data, settings, rng, found, progress);
  }
  throw std::logic_error("unknown method");
}

}  // namespace quasar
