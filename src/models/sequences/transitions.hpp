// How often each state follows each other one on a path.
#pragma once

#include "models/sequences/viterbi.hpp"

namespace quasar {

Mat transition_counts(const Sequences& data, const Path& path, Index states);  // (j, k): from j to k

// Rows of counts divided by their sums; a row without any is that of `otherwise`.
Mat frequencies(const Mat& counts, const Mat& otherwise);

// -lambda log T; nothing for lambda = 0, even where T is 0.
Mat transition_costs(double lambda, const Mat& transition);

double x_log_x(double x);  // 0 at 0

// sum_i (n_i log n_i - sum_j n_ij log n_ij): -log of the best probability that transitions can give the path.
double transition_entropy(const Mat& counts);

// Means of the points of each state; a state without (observed) points keeps its column of `otherwise`.
Mat centres_of(const Sequences& data, const Path& path, const Mat& otherwise);

// Sum over all points of the divergence from the centre of their state.
double total_divergence(Emission emission, const Sequences& data, const Path& path, const Mat& centres);

}  // namespace quasar
