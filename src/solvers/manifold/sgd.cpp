#include "solvers/manifold/sgd.hpp"

namespace quasar {

StepOutcome ManifoldSgd::step(State& state) {
  for (Index k = 0; k < batches_.inner_steps(); ++k) {
    const double step_size = params_.step_size / (1 + params_.decay * static_cast<double>(state.batches));
    batches_.draw_batch(state);
    batches_.sum().mean_gradient(state.x, state.batch, state.batch_gradient);
    state.step = -step_size * state.batch_gradient;
    if (const StepOutcome moved = move_by_step(batches_.moves(), state); moved != StepOutcome::moved) return moved;
  }
  return StepOutcome::moved;
}

}  // namespace quasar
