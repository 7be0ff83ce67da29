#include "solvers/manifold/trust_region.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace quasar {
namespace {

// t >= 0 with |u + t d| = radius.
double to_edge(double uu, double ud, double dd, double radius) {
  const double left = radius * radius - uu;
  return left / (ud + std::sqrt(ud * ud + dd * left));
}

}  // namespace

ManifoldTrustRegion::ManifoldTrustRegion(ManifoldProblem& problem, const Params& params)
    : problem_(&problem), params_(params), moves_(problem.manifold(), Moves::cheap) {}

ManifoldTrustRegion::State ManifoldTrustRegion::init(const Mat& start) {
  State state{start_descent(*problem_, start)};
  state.radius = std::min(std::sqrt(static_cast<double>(problem_->manifold().dim())), params_.largest_radius) / 8;
  state.first_gradient = state.progress.gradient_norm;
  state.residual = state.conjugate = state.curved = state.step_curved = Mat::Zero(start.rows(), start.cols());
  return state;
}

void ManifoldTrustRegion::go_to_edge(State& state, double along) const {
  state.step += along * state.conjugate;
  state.step_curved += along * state.curved;
}

// Ends where the residual is small enough, at the edge of the ball, or where the curvature is negative: then at the
// edge along that direction. What is small goes by the first gradient: the steps do not depend on the units of the
// cost. As the residual shrinks the part of it that rounding takes out of the tangent space does not, and a long step
// along it would leave the manifold: each is projected.
void ManifoldTrustRegion::minimize_model(State& state) {
  const Manifold& m = problem_->manifold();
  state.step.setZero();
  state.step_curved.setZero();
  m.project(state.x, state.gradient, state.residual);
  state.conjugate = -state.residual;
  double rr = m.inner(state.x, state.residual, state.residual);
  const double share = std::pow(std::sqrt(rr) / state.first_gradient, params_.theta);
  const double enough = std::sqrt(rr) * std::min(share, params_.kappa);
  double uu = 0, ud = 0, dd = rr;
  for (Index k = 0; k < m.dim() && !state.within.ends(state.progress); ++k) {
    problem_->hessian(state.x, state.conjugate, state.curved);
    ++state.hessians;
    const double curvature = m.inner(state.x, state.conjugate, state.curved), along = rr / curvature;
    const double next_uu = uu + 2 * along * ud + along * along * dd;
    if (!(curvature > 0) || next_uu >= state.radius * state.radius) {
      return go_to_edge(state, to_edge(uu, ud, dd, state.radius));
    }
    go_to_edge(state, along);
    state.residual += along * state.curved;
    m.project(state.x, state.residual, state.residual);
    const double next_rr = m.inner(state.x, state.residual, state.residual), beta = next_rr / rr;
    if (std::sqrt(next_rr) <= enough) return;
    state.conjugate = beta * state.conjugate - state.residual;
    ud = beta * (ud + along * dd);
    dd = next_rr + beta * beta * dd;
    uu = next_uu;
    rr = next_rr;
  }
}

StepOutcome ManifoldTrustRegion::step(State& state) {
  const Manifold& m = problem_->manifold();
  minimize_model(state);
  const double foretold =
      -m.inner(state.x, state.gradient, state.step) - 0.5 * m.inner(state.x, state.step, state.step_curved);
  const bool at_edge = m.norm(state.x, state.step) >= 0.99 * state.radius;
  double agreement = -1;
  if (try_step(*problem_, moves_, state)) agreement = decrease(m, moves_, state) / foretold;
  if (!(agreement >= 0.25)) {
    state.radius /= 4;
  } else if (agreement > 0.75 && at_edge) {
    state.radius = std::min(2 * state.radius, params_.largest_radius);
  }
  if (agreement > params_.least_agreement) {
    return accept_next(m, state);
  }
  ++state.refused;
  const bool hopeless = state.radius < std::numeric_limits<double>::epsilon();
  return hopeless ? StepOutcome::no_decrease : StepOutcome::moved;
}

}  // namespace quasar
