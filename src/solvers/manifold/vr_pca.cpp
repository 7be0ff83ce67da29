#include "solvers/manifold/vr_pca.hpp"

#include <cblas.h>

#include <cmath>
#include <utility>

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
  const int d = static_cast<int>(state.x.size());
  const double* of_term = problem_->data().col(term).data();
  double* x = state.x.data();
  const double moved = cblas_ddot(d, of_term, 1, x, 1) - cblas_ddot(d, of_term, 1, state.snapshot.data(), 1);
  cblas_daxpy(d, params_.step_size * moved, of_term, 1, x, 1);
  cblas_daxpy(d, params_.step_size, state.product.data(), 1, x, 1);
  cblas_dscal(d, 1 / std::sqrt(cblas_ddot(d, x, 1, x, 1)), x, 1);
}

// Terms come from anywhere in memory: the next one is asked for while this one is worked on.
void VrPca::inner_steps(State& state, Stream stream) const {
  constexpr Index line = 8;  // doubles in a line of the cache
  Index next = stream.index(problem_->terms());
  constexpr Index between_questions = 1024;
  const double share = 1 / static_cast<double>(problem_->terms());
  const double before = state.progress.passes, most_passes = state.within.most_passes();
  for (Index k = 0; k < params_.inner_steps; ++k) {
    state.progress.passes = before + static_cast<double>(k) * share;
    if (state.progress.passes >= most_passes || (k % between_questions == 0 && state.within.ends(state.progress)))
      return;
    const Index term = std::exchange(next, stream.index(problem_->terms()));
    const double* of_next = problem_->data().col(next).data();
    for (Index i = 0; i < state.x.size(); i += line) __builtin_prefetch(of_next + i);
    inner_step(state, term);
  }
  state.progress.passes = before + static_cast<double>(params_.inner_steps) * share;
}

StepOutcome VrPca::step(State& state) {
  take_snapshot(state);
  inner_steps(state, rng_.at(static_cast<std::uint64_t>(state.draws++)).stream("terms"));
  if (problem_->manifold().fault(state.x).empty()) return StepOutcome::moved;
  state.x = state.snapshot;
  return StepOutcome::not_finite;
}

}  // namespace quasar
