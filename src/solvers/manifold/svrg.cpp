#include "solvers/manifold/svrg.hpp"

namespace quasar {

StepOutcome ManifoldSvrg::inner_step(State& state) const {
  gradients_.draw_batch(state);
  gradients_.estimate(state);
  state.step = -step_size_ * state.v;
  return move_by_step(gradients_.moves(), state);
}

StepOutcome ManifoldSvrg::step(State& state) { return run_outer_loop(*this, state, gradients_.inner_steps()); }

}  // namespace quasar
