// Stochastic variance-reduced gradient: inner steps x <- move(-step_size v) from one snapshot to the next (Zhang, Reddi
// and Sra, NIPS 2016). A step of the solver is one such outer loop; progress tells of the snapshot at its beginning.
#pragma once

#include "solvers/manifold/variance_reduced.hpp"

namespace quasar {

class ManifoldSvrg {
 public:
  struct Params {
    double step_size = 0.1;
    BatchParams batches = {};
    Moves::Kind moves = Moves::geodesic;
  };
  using State = VarianceReducedState;
  ManifoldSvrg(ManifoldSum& sum, const Params& params, const Rng& rng)
      : gradients_(sum, params.batches, params.moves, rng), step_size_(params.step_size) {}
  State init(const Mat& start) { return gradients_.init(start); }
  StepOutcome step(State& state);

  void take_snapshot(State& state) const { gradients_.take_snapshot(state); }
  StepOutcome inner_step(State& state) const;

 private:
  VarianceReduced gradients_;
  double step_size_;
};

}  // namespace quasar
