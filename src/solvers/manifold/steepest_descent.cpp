#include "solvers/manifold/steepest_descent.hpp"

namespace quasar {

StepOutcome ManifoldDescent::step(State& state) {
  state.direction = -state.gradient;
  const double first = state.last_length > 0 ? 2 * state.last_length : 1 / state.progress.gradient_norm;
  const StepOutcome outcome = search_along_direction(*problem_, moves_, first, state);
  return outcome == StepOutcome::moved ? accept_next(problem_->manifold(), state) : outcome;
}

}  // namespace quasar
