// The asymp-iHMM without being told its penalties: fits over a grid of them, and one that is chosen.
#pragma once

#include "models/sequences/asymp_ihmm.hpp"

namespace quasar {

struct PenaltyGrid {
  std::vector<double> lambda, lambda1, lambda2;
};

// Scales with the data: c times the values of a normal series have the same segmentations.
PenaltyGrid default_grid(const Sequences& data, Emission emission);

enum class Selector {
  bic,            // fit, entropy of transitions and log N / 2 for every number that was fitted
  fewest_states,  // the fewest states above one, then the best fit; compares settings of equal lambda
};

struct TriedPenalties {
  IhmmPenalties penalties;
  Index states;
  double objective, score;  // J; what the selector minimises
};

struct SelectedFit {
  IhmmFit fit;
  IhmmPenalties penalties;
  std::vector<TriedPenalties> tried;
};

// options.penalties are of no matter. One state is an answer too, if nothing beats it.
SelectedFit select_penalties(const Sequences& data, const AsympIhmmOptions& options, const PenaltyGrid& grid,
                             Selector selector);

}  // namespace quasar
