// The beam sampler of the infinite hidden Markov model (Van Gael, Saatci, Teh and Ghahramani, ICML 2008):
//
//   beta ~ GEM(gamma), pi_k ~ DP(alpha, beta) for every state and for the start, z_t ~ pi_{z_{t-1}},
//   x_t ~ N(mu_{z_t}, s^2 I), mu_k ~ N(mean, s_0^2 I).
//
// Given u_t ~ U(0, pi_{z_{t-1}, z_t}) only finitely many transitions are possible, and a whole path is drawn by
// filtering forward and sampling backward.
#pragma once

#include <quasar/rng.hpp>

#include "models/sequences/viterbi.hpp"

namespace quasar {

struct GammaPrior {
  double shape, rate;
};

struct BeamOptions {
  double mean = 0, centre_variance = 1;  // of the centres of states
  bool learn_concentrations = true;
  GammaPrior alpha_prior = {4, 1}, gamma_prior = {3, 6};
  bool learn_variance = false;
  GammaPrior precision_prior = {1, 1};  // of 1 / s^2
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

void beam_sweep(const Sequences& data, const BeamOptions& options, const Rng& rng, BeamState& state);

}  // namespace quasar
