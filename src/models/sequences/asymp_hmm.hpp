// asymp-HMM, generalised segmental k-means: the limit of a hidden Markov model whose states become sharp (Roychowdhury,
// Jiang and Kulis, NIPS 2013). Minimises over paths z, centres m and transitions T
//
//   J = sum_t D(x_t, m_{z_t}) - lambda sum_t log T_{z_{t-1}, z_t}
//
// by turns: Viterbi for z, means for m, frequencies for T. For normal states of variance s^2 the path is that of
// highest probability when lambda = 2 s^2; lambda = 0 is k-means.
#pragma once

#include <quasar/rng.hpp>

#include "models/sequences/viterbi.hpp"

namespace quasar {

struct AsympHmmOptions {
  Emission emission = Emission::normal;
  int states = 2;
  double lambda = 1;
  // Added to every count: T is then (n_jk + e) / (n_j + K e), and J - lambda e sum log T what never rises. At 0 a
  // transition that was not used once never comes back.
  double smoothing = 0.01;
  int restarts = 10;
  int most_iterations = 200;
};

struct HmmFit {
  Path states;
  Mat centres, transition;
  double objective = 0;       // J
  std::vector<double> trace;  // what never rises, after each turn
  bool converged = false;
};

// From given centres and transitions; a row of T that is not used keeps its values where nothing is added.
HmmFit fit_asymp_hmm(const Sequences& data, const AsympHmmOptions& options, Mat centres, Mat transition);

// The best of several starts: centres by k-means++ (Arthur and Vassilvitskii 2007) and Lloyd's turns, rows of T uniform
// on the simplex.
HmmFit fit_asymp_hmm(const Sequences& data, const AsympHmmOptions& options, const Rng& rng);

// The lambda that the data ask for, whatever that of the options: of normal values 2 s^2, where s^2 is first the
// variance within the clusters of k-means, then that within the states which this gives; 1 of all others, whose
// divergences are -log p already.
double lambda_by_data(const Sequences& data, AsympHmmOptions options, const Rng& rng);

}  // namespace quasar
