#include "solvers/manifold/variance_reduced.hpp"

#include <algorithm>
#include <cmath>

namespace quasar {

VarianceReduced::VarianceReduced(ManifoldSum& sum, const BatchParams& batches, Moves::Kind moves, const Rng& rng)
    : sum_(&sum),
      batch_size_(batches.batch_size),
      inner_steps_(batches.inner_steps > 0 ? batches.inner_steps : sum.terms() / std::max<Index>(1, batch_size_)),
      moves_(sum.manifold(), moves),
      rng_(rng) {
  if (batch_size_ < 1 || batch_size_ > sum.terms()) throw UsageError("batch_size: needs 1 .. the number of terms");
}

VarianceReducedState VarianceReduced::init(const Mat& start) const {
  manifold().check(start);
  VarianceReducedState state;
  state.x = start;
  state.snapshot = state.full_gradient = state.v = state.batch_gradient = start;
  state.next = state.step = state.scratch = start;
  state.batch.resize(static_cast<std::size_t>(batch_size_));
  return state;
}

void VarianceReduced::count(VarianceReducedState& state, Index terms) const {
  state.terms += terms;
  state.progress.passes = static_cast<double>(state.terms) / static_cast<double>(sum_->terms());
}

void VarianceReduced::take_snapshot(VarianceReducedState& state) const {
  const double value = sum_->gradient(state.x, state.scratch);
  if (!std::isfinite(value) || !state.scratch.allFinite()) throw DataError("the cost or its gradient is not finite");
  state.snapshot = state.x;
  state.full_gradient.swap(state.scratch);
  state.progress.value = value;
  state.progress.gradient_norm = manifold().norm(state.x, state.full_gradient);
  count(state, sum_->terms());
}

void VarianceReduced::draw_batch(VarianceReducedState& state) const {
  Stream stream = rng_.at(static_cast<std::uint64_t>(state.batches++)).stream("batch");
  stream.sample_without_replacement(sum_->terms(), state.batch);
  count(state, batch_size_);
}

void VarianceReduced::estimate(VarianceReducedState& state) const {
  sum_->mean_gradient(state.x, state.batch, state.batch_gradient);
  sum_->mean_gradient(state.snapshot, state.batch, state.scratch);
  state.scratch -= state.full_gradient;
  moves_.carry(state.snapshot, state.x, state.scratch, state.scratch);
  state.v = state.batch_gradient - state.scratch;
}

StepOutcome move_by_step(const Moves& moves, VarianceReducedState& state) {
  const int halvings = moves.move_safely(state.x, state.step, state.next);
  state.progress.halvings += halvings;
  if (halvings == Moves::most_halvings) return StepOutcome::not_finite;
  state.x.swap(state.next);
  return StepOutcome::moved;
}

}  // namespace quasar
