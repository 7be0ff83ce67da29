#include "solvers/manifold/conjugate_gradient.hpp"

#include <algorithm>
#include <cmath>

#include <quasar/errors.hpp>

namespace quasar {

ManifoldConjugateGradient::State ManifoldConjugateGradient::init(const Mat& start) {
  State state{start_descent(*problem_, start), start};
  state.direction = -state.gradient;
  return state;
}

// As if the cost fell as much as in the last step (Nocedal & Wright, eq. 3.60), which for conjugate directions is about
// right, while a step of the last length is not.
double ManifoldConjugateGradient::first_length(const State& state) const {
  const double slope = problem_->manifold().inner(state.x, state.gradient, state.direction);
  const double guess = -2 * state.last_decrease / slope;
  if (state.last_length == 0) return 1 / state.progress.gradient_norm;
  if (!(guess > 0)) return state.last_length;  // the decrease has drowned in rounding
  return std::clamp(guess, 0.1 * state.last_length, 10 * state.last_length);
}

void ManifoldConjugateGradient::turn(State& state) {
  const Manifold& m = problem_->manifold();
  moves_.carry(state.x, state.next, state.direction, state.carried);
  moves_.carry(state.x, state.next, state.gradient, state.difference);
  state.difference = state.next_gradient - state.difference;
  const double above = m.inner(state.next, state.next_gradient, state.difference);
  const double below = m.inner(state.next, state.carried, state.difference);
  const double beta = std::max(0.0, above / below);
  state.direction = -state.next_gradient;
  if (std::isfinite(beta)) state.direction += beta * state.carried;
  if (!(m.inner(state.next, state.direction, state.next_gradient) < 0)) state.direction = -state.next_gradient;
}

StepOutcome ManifoldConjugateGradient::step(State& state) {
  StepOutcome outcome = search_along_direction(*problem_, moves_, first_length(state), state);
  if (outcome == StepOutcome::no_decrease) {  // once more from the gradient
    state.direction = -state.gradient;
    outcome = search_along_direction(*problem_, moves_, first_length(state), state);
  }
  if (outcome != StepOutcome::moved) return outcome;
  try {
    refine_along_direction(*problem_, moves_, state);
    turn(state);
  } catch (const DataError&) {  // antipodal points: no geodesic is shortest, and the directions begin again
    state.direction = -state.next_gradient;
  }
  return accept_next(problem_->manifold(), state);
}

}  // namespace quasar
