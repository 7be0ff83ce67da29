#include "solvers/manifold/vr_pca.hpp"

#include <cmath>

namespace quasar {

VrPca::VrPca(LeadingEigenvector& problem, const Params& params, const Rng& rng)
    : problem_(&problem), params_(params), rng_(rng) {
  const auto terms = static_cast<double>(problem.terms());
  if (params_.step_size <= 0) params_.step_size = std::sqrt(terms) / problem.data().squaredNorm();
  if (params_.inner_steps <= 0) params_.inner_steps = problem.terms();
}

VrPca::State VrPca::init(const Mat& start) {
  problem_->manifold().check(start);
  State state;
  state.x = state.snapshot = state.product = start;
  return state;
}

void VrPca::take_snapshot(State& state) const {
  state.snapshot = state.x;
  problem_->times(state.x, state.product);
  state.progress.value = -state.x.col(0).dot(state.product.col(0));
  state.progress.gradient_norm = 2 * (state.product + state.progress.value * state.x).norm();  // 2 |As - (s'As) s|
  state.progress.passes += 1;
}

void VrPca::inner_step(State& state, Index term) const {
  const auto d = problem_->data().col(term);
  const double moved = d.dot(state.x.col(0) - state.snapshot.col(0));
  state.x.col(0) += params_.step_size * (moved * d + state.product.col(0));
  state.x /= state.x.norm();
}

StepOutcome VrPca::step(State& state) {
  take_snapshot(state);
  Stream stream = rng_.at(static_cast<std::uint64_t>(state.draws++)).stream("terms");
  for (Index k = 0; k < params_.inner_steps; ++k) inner_step(state, stream.index(problem_->terms()));
  state.progress.passes += static_cast<double>(params_.inner_steps) / static_cast<double>(problem_->terms());
  return state.x.allFinite() ? StepOutcome::moved : StepOutcome::not_finite;
}

}  // namespace quasar
