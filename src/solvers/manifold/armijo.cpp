#include "solvers/manifold/armijo.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <quasar/errors.hpp>

namespace quasar {
namespace {

constexpr double sufficient_share = 1e-4;  // c1
constexpr double flat_share = 0.1;
constexpr int most_shortenings = 60, most_idle = 20;
constexpr double rounding_of_costs = 1e-11;  // of matrices of condition 1e6 they have no more digits

double try_length(ManifoldProblem& problem, const Moves& moves, double length, DescentState& state) {
  state.step = length * state.direction;
  state.last_length = length;
  try_step(problem, moves, state);
  return state.next_value;
}

// <gradient at next, T step>
double slope_at_end(const Manifold& m, const Moves& moves, DescentState& state) {
  moves.carry(state.x, state.next, state.step, state.carried);
  return m.inner(state.next, state.next_gradient, state.carried);
}

double shorter(double length, double cost, double start, double slope) {
  const double best = -0.5 * slope * length * length / (cost - start - slope * length);
  return std::isfinite(cost) && std::isfinite(best) ? std::clamp(best, 0.1 * length, 0.5 * length) : 0.5 * length;
}

bool is_idle(DescentState& state) {
  const bool better = state.progress.value < state.lowest || state.progress.gradient_norm < state.shortest;
  state.lowest = std::min(state.lowest, state.progress.value);
  state.shortest = std::min(state.shortest, state.progress.gradient_norm);
  state.idle = better ? 0 : state.idle + 1;
  return state.idle > most_idle;
}

}  // namespace

DescentState start_descent(ManifoldProblem& problem, const Mat& start) {
  problem.manifold().check(start);
  DescentState state;
  state.x = state.next = start;
  state.gradient = state.direction = state.step = state.next_gradient = state.carried =
      Mat::Zero(start.rows(), start.cols());
  state.progress.value = problem.gradient(start, state.gradient);
  state.progress.gradient_norm = problem.manifold().norm(start, state.gradient);
  state.lowest = state.progress.value;
  state.shortest = state.progress.gradient_norm;
  state.progress.passes = 1;
  return state;
}

bool try_step(ManifoldProblem& problem, const Moves& moves, DescentState& state) {
  try {
    if (moves.leads_to_a_point(state.x, state.step, state.next)) {
      ++state.progress.passes;
      state.next_value = problem.gradient(state.next, state.next_gradient);
      if (std::isfinite(state.next_value) && state.next_gradient.allFinite()) return true;
    }
  } catch (const DataError&) {  // the cost has no Cholesky factor, no eigenvalues there
  }
  ++state.progress.halvings;
  state.next_value = std::numeric_limits<double>::infinity();
  return false;
}

double decrease(const Manifold& m, const Moves& moves, DescentState& state) {
  const double by_costs = state.progress.value - state.next_value;
  const double rounding = rounding_of_costs * std::abs(state.progress.value);
  if (!(std::abs(by_costs) <= rounding) || state.next_value > state.lowest + rounding) return by_costs;
  try {
    return -0.5 * (m.inner(state.x, state.gradient, state.step) + slope_at_end(m, moves, state));
  } catch (const DataError&) {  // antipodal points: no geodesic is shortest
    return by_costs;
  }
}

StepOutcome search_along_direction(ManifoldProblem& problem, const Moves& moves, double first_length,
                                   DescentState& state) {
  const Manifold& m = problem.manifold();
  const double start = state.progress.value, slope = m.inner(state.x, state.gradient, state.direction);
  double length = first_length;
  for (int k = 0; k < most_shortenings; ++k) {
    const double cost = try_length(problem, moves, length, state);
    if (decrease(m, moves, state) >= -sufficient_share * length * slope) return StepOutcome::moved;
    length = shorter(length, cost, start, slope);
  }
  state.last_length = 0;  // says nothing of the next step
  return std::isfinite(slope) ? StepOutcome::no_decrease : StepOutcome::not_finite;
}

void refine_along_direction(ManifoldProblem& problem, const Moves& moves, DescentState& state) {
  constexpr int most_refinements = 4;
  const Manifold& m = problem.manifold();
  const double slope = m.inner(state.x, state.gradient, state.direction);
  for (int k = 0; k < most_refinements; ++k) {
    const double length = state.last_length, cost = state.next_value;
    const double slope_there = slope_at_end(m, moves, state) / length;
    if (std::abs(slope_there) <= flat_share * std::abs(slope)) break;
    const double secant = length * slope / (slope - slope_there);
    const double better = secant > 0 ? std::min(secant, 10 * length) : 10 * length;  // else f is concave on the way
    if (try_length(problem, moves, better, state) <= cost) continue;
    try_length(problem, moves, length, state);
    break;
  }
}

StepOutcome accept_next(const Manifold& manifold, DescentState& state) {
  state.last_decrease = state.progress.value - state.next_value;
  state.progress.value = state.next_value;
  state.x.swap(state.next);
  state.gradient.swap(state.next_gradient);
  state.progress.gradient_norm = manifold.norm(state.x, state.gradient);
  return is_idle(state) ? StepOutcome::no_decrease : StepOutcome::moved;
}

}  // namespace quasar
