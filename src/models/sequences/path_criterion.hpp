// How good a segmentation is, whatever the penalties that led to it.
#pragma once

#include "models/sequences/path_objective.hpp"

namespace quasar {

// C(Z) = -log p(x, Z) at the best parameters + log N / 2 for each of its numbers (Schwarz 1978). Numbers are the
// centres, the probabilities that a state may be left with beyond its first, s_k - 1, and two more for a state. With
// one more, as for the probabilities of a sparse row, series were given pairs of states that differ in nothing but
// when they are visited.
class PathCriterion {
 public:
  PathCriterion(const Sequences& data, Emission emission);

  double operator()(const PathStats& stats) const;

  // Those with which J and C fall together. The part of normal values in C is n / 2 log(SSE / n): as the logarithm is
  // concave, C falls whenever SSE + lambda (entropy + log N / 2 numbers) does, with lambda = 2 SSE / n of the present
  // path, its variance. Counts and categories have lambda = 1.
  IhmmPenalties penalties(const PathStats& stats) const;

 private:
  double squares(const PathStats& stats) const;
  double misfit(const PathStats& stats) const;

  Emission emission_;
  double numbers_of_state_, price_;  // of a number
  double values_ = 0;
  double least_squares_ = 0;  // a sum of squares that a path cannot be praised for undercutting
};

// Divergences from the middle of the data, of all points but the most distant 5 %: a scale that outliers do not move.
struct DataScale {
  double spread = 0;    // mean, for each value of a point
  double farthest = 0;  // largest, for all values of a point
};

DataScale scale_of(const Sequences& data, Emission emission);

}  // namespace quasar
