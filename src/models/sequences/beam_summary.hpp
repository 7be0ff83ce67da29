// What chains of the beam sampler say of a series, free of the names of states: these change from draw to draw.
#pragma once

#include <span>

#include <quasar/sample.hpp>

#include "models/sequences/beam_sampler.hpp"
#include "models/sequences/fitted_hmm.hpp"

namespace quasar {

struct BeamSchedule {
  Index warmup = 200, sweeps = 500;  // of each chain
  int chains = 4, threads = 1;       // draws are the same for any number of threads
  Index ahead = 0;                   // steps to forecast
};

struct BeamRun {
  BeamState best;  // the draw with the highest log_joint, without unused states
  double best_log_density = 0;
  Vec states_probability;           // element k: probability of k + 1 states
  Vec change_probability;           // per point: in another state than the one before it; 0 where a sequence starts
  Mat level_mean, level_sd;         // d x N: the centre of the state that a point is in
  std::vector<Forecast> forecasts;  // of each sequence, by all draws
  Mat states, log_density;          // a row for every sweep that is kept, a column for every chain
};

// All chains start at `start`: from states at random a chain may take longer than anyone waits. `progress`, where
// given, has one entry per chain.
BeamRun run_beam(const Sequences& data, const BeamOptions& options, const BeamState& start,
                 const BeamSchedule& schedule, const Rng& rng, std::span<ChainProgress> progress = {});

}  // namespace quasar
