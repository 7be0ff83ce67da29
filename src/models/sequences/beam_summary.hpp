// What a run of the beam sampler says of a series, free of the names of states: these change from draw to draw.
#pragma once

#include "models/sequences/beam_sampler.hpp"

namespace quasar {

struct BeamRun {
  BeamState best;  // the draw with the highest log_joint, without unused states
  double best_log_density = 0;
  Vec states_probability;    // element k: probability of k + 1 states
  Vec change_probability;    // per point: it is in another state than the one before it; 0 where a sequence starts
  Mat level_mean, level_sd;  // d x N: the centre of the state that a point is in
};

BeamRun run_beam(const Sequences& data, const BeamOptions& options, Index warmup, Index sweeps, const Rng& rng);

}  // namespace quasar
