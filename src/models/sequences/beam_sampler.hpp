// The beam sampler of the infinite hidden Markov model (Van Gael, Saatci, Teh and Ghahramani, ICML 2008):
//
//   beta ~ GEM(gamma), pi_k ~ DP(alpha, beta) for every state and for the start, z_t ~ pi_{z_{t-1}},
//   x_t ~ N(mu_{z_t}, s^2 I), mu_k ~ N(mean, s_0^2 I), or Poisson or categorical with a conjugate prior.
//
// Given u_t ~ U(0, pi_{z_{t-1}, z_t}) only finitely many transitions are possible, and a whole path is drawn by
// filtering forward and sampling backward.
#pragma once

#include <quasar/rng.hpp>

#include "models/gamma_precision.hpp"
#include "models/sequences/viterbi.hpp"

namespace quasar {

struct BeamOptions {
  Emission emission = Emission::normal;
  double mean = 0, centre_variance = 1;  // of the centres of states; normal
  GammaPrior rate_prior = {1, 1};        // of the rates of states; Poisson
  double category_prior = 1;             // each shape of the Dirichlet law of a state's probabilities; categorical
  bool learn_concentrations = true;
  GammaPrior alpha_prior = {4, 1}, gamma_prior = {3, 6};
  double variance = 1;  // s^2, where it is not learned; otherwise where a run starts
  bool learn_variance = false;
  GammaPrior precision_prior = {1, 1};  // of 1 / s^2
  Index most_states = 1000;             // a sweep that needs more is a RunError
};

struct BeamState {
  Path states;
  Vec shares;      // beta of the states, then of all others together
  Mat transition;  // row 0: the start; row k + 1: state k. The last column: all other states together
  Mat centres;     // a column for every state
  double alpha = 1, gamma = 1, variance = 1;

  Index count() const { return centres.cols(); }
};

// Random labels, and everything else as one sweep draws it.
BeamState initial_beam_state(const Sequences& data, const BeamOptions& options, Index states, double variance,
                             const Rng& rng);

// At the states of a path, where a sweep can go on from.
BeamState beam_state_at(const Sequences& data, const BeamOptions& options, Path path, double variance);

// Of the last sweep it needs states, shares, alpha, gamma and variance. It leaves states behind that no point is in.
void beam_sweep(const Sequences& data, const BeamOptions& options, const Rng& rng, BeamState& state);

// Forgets the states that no point is in; their shares go to the rest. Those that are left are numbered in the order in
// which they appear.
void drop_unused(BeamState& state);

// log p(x, z | alpha, beta, s^2): transitions and centres are integrated out, so that draws with more or fewer states
// can be compared. Of a state without unused ones.
double log_joint(const Sequences& data, const BeamOptions& options, const BeamState& state);

}  // namespace quasar
