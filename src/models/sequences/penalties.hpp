// The asymp-iHMM without being told its penalties: fits over a grid of them, and one that is chosen.
#pragma once

#include "models/sequences/asymp_ihmm.hpp"

namespace quasar {

// A penalty with one value is kept at it.
struct PenaltyGrid {
  std::vector<double> lambda, lambda1, lambda2;
};

// Scales with the data: c times the values of a normal series have the same segmentations.
PenaltyGrid default_grid(const Sequences& data, Emission emission);

enum class Selector {
  // The least PathCriterion. The grid then only says where to look: what it finds goes on with the penalties that
  // belong to the criterion, until both agree.
  bic,
  // As published: the fewest states above one, then the least SSE + lambda entropy. That is comparable at equal lambda
  // only, so of several lambda each has its winner, and the criterion decides between these.
  fewest_states,
};

struct TriedPenalties {
  IhmmPenalties penalties;  // where a start from the grid ended
  Index states;
  // J at the end, by bic with the penalties that the criterion led to; what the selector minimises.
  double objective, score;
};

struct SelectedFit {
  IhmmFit fit;
  IhmmPenalties penalties;  // that it is a minimum of J for
  std::vector<TriedPenalties> tried;
};

// Of more than 10000 points the grid sees 20 stretches of 500; what is found there is carried to the whole and goes on
// from there. options.penalties are of no matter; options.threads settings at a time, with the same answer for any
// number. One state is an answer too, if nothing beats it.
SelectedFit select_penalties(const Sequences& data, const AsympIhmmOptions& options, const PenaltyGrid& grid,
                             Selector selector);

}  // namespace quasar
