// Hidden Markov models by expectation maximisation (Baum et al. 1970), to compare with.
#pragma once

#include <quasar/rng.hpp>

#include "models/sequences/viterbi.hpp"

namespace quasar {

// Of normal states: one variance for all states and directions, one for each state, or a matrix for each state.
enum class Covariance { shared, state, full };

struct HmmModel {
  Vec initial;
  Mat transition;
  Mat centres;                        // a column for every state
  Vec variances;                      // of shared: one; of state: one for every state
  std::vector<Mat> covariances = {};  // of full: one for every state
};

struct HmmEmOptions {
  Emission emission = Emission::normal;
  int states = 2;
  Covariance covariance = Covariance::shared;
  int restarts = 5;
  int most_iterations = 200;
};

struct HmmEmFit {
  HmmModel model;
  double log_likelihood = 0;
  std::vector<double> trace;  // never falls
  Path states;                // the most probable path
  Mat filtered;               // p(z_t | x_1 .. x_t), a column for every point
  bool converged = false;
};

double log_likelihood(const Sequences& data, Emission emission, const HmmModel& model);

HmmEmFit fit_hmm_em(const Sequences& data, const HmmEmOptions& options, HmmModel start);
HmmEmFit fit_hmm_em(const Sequences& data, const HmmEmOptions& options, const Rng& rng);  // the best of several starts

}  // namespace quasar
