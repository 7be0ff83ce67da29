// Sums over all paths of a hidden Markov model (Baum, Petrie, Soules and Weiss 1970; scaled as in Rabiner 1989).
#pragma once

#include "models/sequences/hmm_model.hpp"

namespace quasar {

struct Filtered {
  Mat states;     // p(z_t | x_1 .. x_t)
  Mat densities;  // p(x_t | z_t) / p(x_t | x_1 .. x_{t-1}); 0 where no path can be
  double log_likelihood = 0;
};

// From the log densities (k, t) of the points in the states. A point that no path can reach makes the likelihood 0.
Filtered forward(const Sequences& data, const HmmModel& model, Mat log_densities);

// How often, given all the data, each state comes first, follows each other one, and has each point.
struct Expected {
  Vec initial;
  Mat transition, states;
};

Expected backward(const Sequences& data, const HmmModel& model, const Filtered& filtered);

}  // namespace quasar
