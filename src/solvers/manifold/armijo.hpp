// How far to go along a tangent direction: the step is shortened until the cost falls enough.
#pragma once

#include "solvers/manifold/minimize.hpp"
#include "solvers/manifold/moves.hpp"

namespace quasar {

// A point with cost and gradient, and the direction to leave it: what solvers with a line search have in common.
struct DescentState : ManifoldState {
  Mat gradient, direction;
  Mat next, step, next_gradient;  // of the last search
  double next_value = 0, last_decrease = 0, last_length = 0;
};

DescentState start_descent(ManifoldProblem& problem, const Mat& start);

// Where `step` leads from x, into `next`, `next_value` and `next_gradient`. false: to no point of the manifold, or to
// one without a finite cost and gradient, which is counted as a halving; next_value is infinite then.
bool try_step(ManifoldProblem& problem, const Moves& moves, DescentState& state);

// f(move(t d)) <= f(x) + c1 t <gradient, d>, up to the rounding of f; t shrinks by the minimum of the parabola through
// both costs (Nocedal & Wright, Numerical Optimization, 2nd ed., section 3.5). A point outside of the manifold counts
// as one of infinite cost. On success `next`, `next_value` and `next_gradient` tell where `step` = t d leads; x stays.
// Costs are evaluated with their gradients: the first trial is accepted as a rule.
StepOutcome search_along_direction(ManifoldProblem& problem, const Moves& moves, double first_length,
                                   DescentState& state);

// After such a search: the step is changed by the secant of slopes, a few times at most, until the slope of f along the
// direction is below a tenth of that at x. For directions that are conjugate only after a step to the minimum.
void refine_along_direction(ManifoldProblem& problem, const Moves& moves, DescentState& state);

void accept_next(const Manifold& manifold, DescentState& state);  // x becomes next

}  // namespace quasar
