// Gradients of minibatches whose noise vanishes at the optimum, from a snapshot s with the gradient g of all terms:
//
//   v = grad f_I(x) - T(grad f_I(s) - g)        T: from s to x
//
// (Zhang, Reddi and Sra, NIPS 2016). E v = grad f(x) for any linear T, and v = g at x = s for any batch I.
#pragma once

#include <vector>

#include <quasar/errors.hpp>

#include "solvers/manifold/minimize.hpp"
#include "solvers/manifold/moves.hpp"

namespace quasar {

struct BatchParams {
  Index batch_size = 1;   // drawn without replacement
  Index inner_steps = 0;  // from one snapshot; 0: as many as batches go into the data
};

struct VarianceReducedState : ManifoldState {
  Mat snapshot, full_gradient;
  Mat v, batch_gradient;  // of the last batch, both at x
  Mat next, step, scratch;
  std::vector<Index> batch;
  std::int64_t batches = 0;  // drawn so far
  std::int64_t terms = 0;    // looked at so far: those of a batch once, for two gradients or three
};

class VarianceReduced {
 public:
  VarianceReduced(ManifoldSum& sum, const BatchParams& batches, Moves::Kind moves, const Rng& rng);

  VarianceReducedState init(const Mat& start) const;
  void take_snapshot(VarianceReducedState& state) const;  // at x; DataError where there is no gradient: it stays
  void draw_batch(VarianceReducedState& state) const;     // a pure function of the rng and the number of batches before
  void estimate(VarianceReducedState& state) const;       // v from the batch

  Index inner_steps() const { return inner_steps_; }
  Index batches() const { return sum_->terms() / batch_size_; }  // that go into the data
  ManifoldSum& sum() const { return *sum_; }
  const Manifold& manifold() const { return sum_->manifold(); }
  const Moves& moves() const { return moves_; }

 private:
  void count(VarianceReducedState& state, Index terms) const;  // a look at so many terms, as passes
  ManifoldSum* sum_;
  Index batch_size_, inner_steps_;
  Moves moves_;
  Rng rng_;
};

template <class Solver>
StepOutcome run_inner_steps(const Solver& solver, typename Solver::State& state, Index inner_steps) {
  try {
    solver.take_snapshot(state);
    for (Index k = 0; k < inner_steps && !state.within.ends(state.progress); ++k) {
      if (const StepOutcome outcome = solver.inner_step(state); outcome != StepOutcome::moved) return outcome;
    }
  } catch (const DataError&) {
    if (state.progress.steps <= 1 && state.x == state.snapshot) throw;  // no step led here: it is the start
    return StepOutcome::not_finite;
  }
  return StepOutcome::moved;
}

// One snapshot and the inner steps from it. A point where the cost has no gradient ends it: not_finite, and x is the
// last snapshot again, whose cost and gradient are those told.
template <class Solver>
StepOutcome run_outer_loop(const Solver& solver, typename Solver::State& state, Index inner_steps) {
  const StepOutcome outcome = run_inner_steps(solver, state, inner_steps);
  if (outcome == StepOutcome::not_finite) state.x = state.snapshot;
  return outcome;
}

// x moves by `step`, shortened where it leads out of the manifold; the old x is then in `next`.
StepOutcome move_by_step(const Moves& moves, VarianceReducedState& state);

}  // namespace quasar
