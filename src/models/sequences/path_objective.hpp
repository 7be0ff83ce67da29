// What the asymp-iHMM minimises, from counts: every change of a path is judged exactly and without another pass over
// the data.
//
//   J = sum_t D(x_t, mean of its state) + lambda sum_i (n_i log n_i - sum_j n_ij log n_ij)
//       + lambda1 sum_k max(s_k - 1, 0) + lambda2 (K - 1)
//
// with n_ij the transitions from i to j, n_i their sum, and s_k the number of states that follow k at least once. The
// max is needed for a state that is seen at the last point only.
#pragma once

#include "models/sequences/transitions.hpp"

namespace quasar {

struct IhmmPenalties {
  double lambda = 1;   // of improbable transitions
  double lambda1 = 1;  // of every kind of transition a state has beyond its first
  double lambda2 = 1;  // of every state beyond the first
};

// Points of one state, value by value: enough for their divergence from their mean,
// sum_i (phi(x_i)) - n phi(mean), whatever the family.
struct StateStats {
  Vec observed, sum, potential;  // counts; sums of x; sums of phi(x)

  StateStats& operator+=(const StateStats& other);
  StateStats& operator-=(const StateStats& other);
};

StateStats no_points(Index dim);

// What the values of a point are, as far as is known before any path: their medians if normal, else their means. Normal
// values are counted from there, so that neither an offset nor an outlier costs digits.
Vec middle_of(Emission emission, const Sequences& data);

void add_point(Emission emission, In middle, In point, StateStats& stats);

double divergence_from_mean(Emission emission, const StateStats& stats);

// A path by its numbers.
struct PathStats {
  std::vector<StateStats> states;
  Mat counts;
  Vec middle;

  Index size() const { return std::ssize(states); }
};

PathStats stats_of(Emission emission, const Sequences& data, const Path& path);
PathStats stats_of(Emission emission, const Sequences& data, const Path& path, const Vec& middle);

// Means of the states, a column for each; a value that a state has no point of is that of the middle.
Mat centres_of(Emission emission, const PathStats& stats);

double total_divergence(Emission emission, const PathStats& stats);

// lambda and lambda1 for the transitions that leave one state.
double cost_of_row(const IhmmPenalties& penalties, In counts);

// The same of all states, and lambda2.
double cost_of_path(const PathStats& stats, const IhmmPenalties& penalties);

double objective(Emission emission, const PathStats& stats, const IhmmPenalties& penalties);

}  // namespace quasar
