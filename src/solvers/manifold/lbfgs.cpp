#include "solvers/manifold/lbfgs.hpp"

#include <quasar/errors.hpp>

namespace quasar {

ManifoldLbfgs::State ManifoldLbfgs::init(const Mat& start) {
  return {start_descent(*problem_, start), TangentPairs(problem_->manifold(), params_.memory), start, start};
}

void ManifoldLbfgs::learn(State& state) {
  try {
    moves_.carry_straight(state.x, state.next, state.step, state.z);
    moves_.carry_straight(state.x, state.next, state.gradient, state.y);
    state.y = state.next_gradient - state.y;
    state.pairs.carry(moves_, state.x, state.next);
    if (!state.pairs.add(state.next, state.z, state.y, params_.least_curvature)) ++state.skipped;
  } catch (const DataError&) {  // antipodal points: no geodesic is shortest, and the memory begins again
    state.pairs.clear();
  }
}

StepOutcome ManifoldLbfgs::step(State& state) {
  state.pairs.apply(state.x, state.gradient, state.direction);
  state.direction = -state.direction;
  const double first = state.pairs.pairs() > 0 ? 1 : 1 / state.progress.gradient_norm;
  const StepOutcome outcome = search_along_direction(*problem_, moves_, first, state);
  if (outcome == StepOutcome::no_decrease && state.pairs.pairs() > 0) {  // once more without what was learnt
    state.pairs.clear();
    return step(state);
  }
  if (outcome != StepOutcome::moved) return outcome;
  learn(state);
  return accept_next(problem_->manifold(), state);
}

}  // namespace quasar
