// Hidden Markov models with a law of its own for every state, as expectation maximisation fits them.
#pragma once

#include <vector>

#include "models/sequences/sequences.hpp"

namespace quasar {

// Of normal states: one variance for all states and directions, one for each state, or a matrix for each state.
enum class StateCovariance { shared, state, full };

struct HmmModel {
  Vec initial;
  Mat transition;
  Mat centres;                        // a column for every state
  Vec variances;                      // of shared: one; of state: one for every state
  std::vector<Mat> covariances = {};  // of full: one for every state
};

}  // namespace quasar
