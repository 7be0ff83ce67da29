#include "solvers/manifold/sv_lbfgs.hpp"

#include <limits>
#include <string>

#include <quasar/errors.hpp>

namespace quasar {

ManifoldSvLbfgs::ManifoldSvLbfgs(ManifoldSum& sum, const Params& params, const Rng& rng)
    : gradients_(sum, params.batches, params.moves, rng), params_(params) {
  const bool needs_log = params.pairs == displacement || params.pairs == snapshots;
  if (needs_log && !sum.manifold().has().log) {
    throw UsageError(sum.manifold().name() + " has no closed form of log: make pairs of the last step");
  }
  const auto require = [](const char* name, bool right, const char* needs) {
    if (!right) throw UsageError(std::string(name) + ": needs " + needs);
  };
  require("memory", params.memory >= 0, "at least 0");
  require("gradient_loops", params.gradient_loops >= 0, "at least 0");
  require("gradient_steps", params.gradient_steps >= 0, "at least 0");
  require("pair_every", params.pair_every >= 1, "at least 1");
  require("longest_step", params.longest_step > 0, "a length above 0");
  if (params.update == together && params.pairs != snapshots) {
    throw UsageError("update: pairs of minibatches have noise and are taken one by one; pairs of snapshots have none");
  }
  if (params_.gradient_steps == 0) params_.gradient_steps = gradients_.batches();
}

ManifoldSvLbfgs::State ManifoldSvLbfgs::init(const Mat& start) {
  const Index block = params_.update == together ? params_.memory : 0;
  State state{gradients_.init(start), TangentPairs(gradients_.manifold(), params_.memory),
              PairBlock(gradients_.manifold(), block)};
  state.pair_point = state.pair_v = state.pair_step = state.z = state.y = start;
  state.old_snapshot = state.old_gradient = start;
  return state;
}

void ManifoldSvLbfgs::add_pair(State& state, MatIn at) const {
  const bool any = params_.as_printed || params_.update == together;  // a block tells good from bad directions itself
  const double least = any ? TangentPairs::any_curvature : params_.least_curvature;
  if (!state.pairs.add(at, state.z, state.y, least)) ++state.skipped;
}

// Where no geodesic is shortest there is nothing to carry pairs along, and no new one: the memory begins again.
template <class Work>
void ManifoldSvLbfgs::unless_antipodal(State& state, const Work& work) const {
  try {
    work();
  } catch (const DataError&) {
    state.pairs.clear();
  }
}

void ManifoldSvLbfgs::make_pair(State& state) const {
  const Moves& moves = gradients_.moves();
  gradients_.sum().mean_gradient(state.pair_point, state.batch, state.scratch);
  moves.carry_straight(state.pair_point, state.x, state.scratch, state.scratch);
  state.y = state.batch_gradient - state.scratch;
  if (params_.pairs == displacement) {
    gradients_.manifold().log(state.x, state.pair_point, state.z);
    state.z = -state.z;
  } else if (params_.pairs == last_step) {
    moves.carry_straight(state.pair_point, state.x, state.pair_step, state.z);
  } else {
    state.scratch = -params_.first_step * state.pair_v;
    moves.carry_straight(state.pair_point, state.x, state.scratch, state.z);
  }
  add_pair(state, state.x);
}

void ManifoldSvLbfgs::learn(State& state) const {
  if (params_.update == together) state.block.learn(state.pairs, state.snapshot, params_.least_curvature);
}

// The pairs live at the snapshot.
void ManifoldSvLbfgs::pair_snapshots(State& state) const {
  if (state.met++ > 0) {
    unless_antipodal(state, [&] {
      gradients_.manifold().log(state.snapshot, state.old_snapshot, state.z);
      state.z = -state.z;
      gradients_.moves().carry_straight(state.old_snapshot, state.snapshot, state.old_gradient, state.y);
      state.y = state.full_gradient - state.y;
      state.pairs.carry(gradients_.moves(), state.old_snapshot, state.snapshot);
      add_pair(state, state.snapshot);
    });
    learn(state);
  }
  state.old_snapshot = state.snapshot;
  state.old_gradient = state.full_gradient;
}

void ManifoldSvLbfgs::take_snapshot(State& state) const {
  gradients_.take_snapshot(state);
  if (params_.pairs == snapshots && makes_pairs(state)) pair_snapshots(state);
}

void ManifoldSvLbfgs::apply_at_snapshot(State& state) const {
  const Moves& moves = gradients_.moves();
  moves.carry(state.x, state.snapshot, state.v, state.scratch);
  if (params_.update == together) {
    state.block.apply(state.snapshot, state.scratch, state.step);
  } else {
    state.pairs.apply(state.snapshot, state.scratch, state.step);
  }
  moves.carry(state.snapshot, state.x, state.step, state.step);
}

bool ManifoldSvLbfgs::goes_by_gradient(const State& state) const {
  if (state.pairs.pairs() == 0) return true;
  return params_.pairs != snapshots && state.inner < 2 * params_.pair_every;
}

void ManifoldSvLbfgs::shorten(State& state) const {
  if (params_.longest_step == std::numeric_limits<double>::infinity()) return;
  const double length = gradients_.manifold().norm(state.x, state.step);
  if (length > params_.longest_step) state.step *= params_.longest_step / length;
}

void ManifoldSvLbfgs::choose_step(State& state) const {
  if (goes_by_gradient(state)) {
    state.step = -params_.first_step * state.v;
    return;
  }
  if (params_.pairs == snapshots) {
    apply_at_snapshot(state);
  } else {
    state.pairs.apply(state.x, state.v, state.step);
  }
  state.step *= params_.as_printed ? params_.step_size : -params_.step_size;
  shorten(state);
}

StepOutcome ManifoldSvLbfgs::inner_step(State& state) const {
  gradients_.draw_batch(state);
  gradients_.estimate(state);
  const bool pair_point = params_.pairs != snapshots && makes_pairs(state) && state.inner % params_.pair_every == 0;
  if (pair_point) {
    if (state.met++ > 0) unless_antipodal(state, [&] { make_pair(state); });
    state.pair_point = state.x;
    state.pair_v = state.v;
  }
  choose_step(state);
  const StepOutcome outcome = move_by_step(gradients_.moves(), state);
  if (outcome != StepOutcome::moved) return outcome;
  if (pair_point) state.pair_step = state.step;
  if (params_.pairs != snapshots && !params_.as_printed) {
    unless_antipodal(state, [&] { state.pairs.carry(gradients_.moves(), state.next, state.x); });
  }
  if (state.loops >= params_.gradient_loops) ++state.inner;
  return outcome;
}

StepOutcome ManifoldSvLbfgs::step(State& state) {
  const bool by_gradient = state.loops < params_.gradient_loops;
  const StepOutcome outcome =
      run_outer_loop(*this, state, by_gradient ? params_.gradient_steps : gradients_.inner_steps());
  ++state.loops;
  return outcome;
}

}  // namespace quasar
