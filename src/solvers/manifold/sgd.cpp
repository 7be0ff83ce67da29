#include "solvers/manifold/sgd.hpp"

namespace quasar {

void ManifoldSgd::take_snapshot(State& state) const { state.snapshot = state.x; }

StepOutcome ManifoldSgd::inner_step(State& state) const {
  const double step_size = params_.step_size / (1 + params_.decay * static_cast<double>(state.batches));
  batches_.draw_batch(state);
  batches_.sum().mean_gradient(state.x, state.batch, state.batch_gradient);
  state.step = -step_size * state.batch_gradient;
  return move_by_step(batches_.moves(), state);
}

StepOutcome ManifoldSgd::step(State& state) { return run_outer_loop(*this, state, batches_.inner_steps()); }

}  // namespace quasar
