// Sequences drawn from hidden Markov models, so that the state of every point is known, and paths through them.
#pragma once

#include "models/sequences/hmm_em.hpp"

namespace quasar {

struct KnownStates {
  Sequences data;
  Path states;
};

// Normal states of one variance.
KnownStates drawn_from(const HmmModel& model, Index points, const Rng& rng);

// What a path needs: lambda = 2 s^2 makes it the most probable one.
struct Decoder {
  Mat centres, transition;
  double lambda;
};

Path decoded(const Sequences& data, const Decoder& decoder);

// The last state of the best path up to each point: what is known when the next point is to be predicted.
Path last_states(const Sequences& data, const Decoder& decoder);

}  // namespace quasar
