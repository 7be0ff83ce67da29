// Hidden Markov models by expectation maximisation (Baum, Petrie, Soules and Weiss 1970), to compare with.
#pragma once

#include <quasar/rng.hpp>

#include "models/sequences/hmm_model.hpp"
#include "models/sequences/viterbi.hpp"

namespace quasar {

// Where fits start from. Paths: the first is that of asymp-hmm, the others those of k-means; laws and transitions are
// those of the path, softened so that nothing is impossible. Random: centres of k-means, rows uniform on the simplex
// and laws as wide as all the data, which leaves it to chance whether states that stay are found.
enum class EmStarts { paths, random };

struct HmmEmOptions {
  Emission emission = Emission::normal;
  int states = 2;
  StateCovariance covariance = StateCovariance::shared;
  int restarts = 5;
  EmStarts starts = EmStarts::paths;
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

// The covariance of the options is the one that the model has.
double log_likelihood(const Sequences& data, const HmmEmOptions& options, const HmmModel& model);

HmmEmFit fit_hmm_em(const Sequences& data, const HmmEmOptions& options, HmmModel start);
HmmEmFit fit_hmm_em(const Sequences& data, const HmmEmOptions& options, const Rng& rng);  // the best of several starts

}  // namespace quasar
