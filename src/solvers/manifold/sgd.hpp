// Stochastic gradient descent, x <- move(-step_size / (1 + decay t) grad f_I(x)) (Bonnabel, IEEE Trans. Automatic
// Control 58, 2013). A step of the solver is one pass over the data.
#pragma once

#include "solvers/manifold/variance_reduced.hpp"

namespace quasar {

class ManifoldSgd {
 public:
  struct Params {
    double step_size = 0.1, decay = 0;
    Index batch_size = 1;
    Moves::Kind moves = Moves::cheap;
  };
  using State = VarianceReducedState;
  ManifoldSgd(ManifoldSum& sum, const Params& params, const Rng& rng)
      : batches_(sum, {params.batch_size}, params.moves, rng), params_(params) {}
  State init(const Mat& start) { return batches_.init(start); }
  StepOutcome step(State& state);

  void take_snapshot(State& state) const;  // to come back to; nothing is known there
  StepOutcome inner_step(State& state) const;

 private:
  VarianceReduced batches_;
  Params params_;
};

}  // namespace quasar
