#include "models/sequences/beam_summary.hpp"

#include <limits>

#include "core/running_moments.hpp"

namespace quasar {
namespace {

void count_changes(const Sequences& data, const Path& states, Vec& changes) {
  for (Index s = 0; s < data.count(); ++s) {
    for (Index t = data.starts[static_cast<std::size_t>(s)] + 1; t < data.end(s); ++t) {
      changes[t] += states[static_cast<std::size_t>(t)] != states[static_cast<std::size_t>(t - 1)];
    }
  }
}

Mat levels_of(const BeamState& state) { return state.centres(Eigen::all, state.states); }

void count_states(Index states, Vec& counts) {
  if (counts.size() < states) counts.conservativeResizeLike(Vec::Zero(states));
  counts[states - 1] += 1;
}

}  // namespace

BeamRun run_beam(const Sequences& data, const BeamOptions& options, Index warmup, Index sweeps, const Rng& rng) {
  constexpr Index first_states = 20;
  BeamState state = initial_beam_state(data, options, first_states, options.variance, rng.child("start"));
  BeamRun run;
  run.best_log_density = -std::numeric_limits<double>::infinity();
  run.change_probability = Vec::Zero(data.size());
  RunningMoments levels(data.values.size());
  for (Index i = 0; i < warmup + sweeps; ++i) {
    beam_sweep(data, options, rng.at(static_cast<std::uint64_t>(i)), state);
    if (i < warmup) continue;
    BeamState used = state;
    drop_unused(used);
    count_states(used.count(), run.states_probability);
    count_changes(data, used.states, run.change_probability);
    levels.add(levels_of(used).reshaped());
    const double log_density = log_joint(data, options, used);
    if (log_density <= run.best_log_density) continue;
    run.best_log_density = log_density;
    run.best = std::move(used);
  }
  const auto draws = static_cast<double>(sweeps);
  run.states_probability /= draws;
  run.change_probability /= draws;
  run.level_mean = levels.mean().reshaped(data.dim(), data.size());
  run.level_sd = levels.variance().cwiseSqrt().reshaped(data.dim(), data.size());
  return run;
}

}  // namespace quasar
