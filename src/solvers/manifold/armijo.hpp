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
  Mat carried;                      // scratch: the step, at next
  double lowest = 0, shortest = 0;  // cost and gradient so far
  int idle = 0;                     // steps since one of both fell
};

DescentState start_descent(ManifoldProblem& problem, const Mat& start);

// Where `step` leads from x, into `next`, `next_value` and `next_gradient`. false: to no point of the manifold, or to
// one without a finite cost and gradient, which is counted as a halving; next_value is infinite then.
bool try_step(ManifoldProblem& problem, const Moves& moves, DescentState& state);

// f(x) - f(next). Where both agree to eleven digits the others may be rounding, and the slopes at both ends of the step
// tell instead: -(<gradient, step> + <gradient at next, T step>) / 2, as of a parabola (Hager and Zhang, SIAM J.
// Optimization 16, 2005). They never lead higher above the lowest cost so far than that rounding.
double decrease(const Manifold& manifold, const Moves& moves, DescentState& state);

// f(move(t d)) <= f(x) + c1 t <gradient, d>; t shrinks by the minimum of the parabola through both costs (Nocedal &
// Wright, Numerical Optimization, 2nd ed., section 3.5). A point outside of the manifold counts as one of infinite
// cost. On success `next`, `next_value` and `next_gradient` tell where `step` = t d leads; x stays. Costs are evaluated
// with their gradients: the first trial is accepted as a rule.
StepOutcome search_along_direction(ManifoldProblem& problem, const Moves& moves, double first_length,
                                   DescentState& state);

// After such a search: the step is changed by the secant of slopes, a few times at most, until the slope of f along the
// direction is below a tenth of that at x. For directions that are conjugate only after a step to the minimum.
void refine_along_direction(ManifoldProblem& problem, const Moves& moves, DescentState& state);

// x becomes next. no_decrease: for many steps neither the cost nor the gradient has been less than ever before, and
// what is left is rounding.
StepOutcome accept_next(const Manifold& manifold, DescentState& state);

}  // namespace quasar
