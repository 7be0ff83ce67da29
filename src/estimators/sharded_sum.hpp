// A sum over data in S shards, which may lie with several ranks:
//
//   sum_i term_i(x) = sum_{s < S} P_s,   P_s = the terms s N/S .. (s+1) N/S (rounded down), added in their order.
//
// The P_s are added in the binary tree (P_0 + P_1) + (P_2 + P_3) ..., of which R ranks, a power of two that divides S,
// do the lower part each for S/R of them and Exchange::sum the upper. So S decides the rounding, and R does not.
// Everything else, the prior included, each rank does for itself, with the same numbers.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include <quasar/core.hpp>
#include <quasar/exchange.hpp>

namespace quasar {

class ShardedSum final : public FiniteSum {
 public:
  // `exchange` outlives this and its forks, which share it: one thread uses them all. Null: all shards are here.
  ShardedSum(std::unique_ptr<FiniteSum> model, int shards, Exchange* exchange = nullptr);

  // Of all ranks, which ask for the same points in the same order.
  Eval add_terms(In x, std::span<const Index> ids, double weight, Out grad, Want want) override;
  Eval add_range(In x, Index begin, Index end, double weight, Out grad, Want want) override;
  Eval add_all(In x, double weight, Out grad, Want want) override {
    return add_range(x, 0, terms(), weight, grad, want);
  }

  std::unique_ptr<Target> fork() const override;
  Threads threads() const override { return exchange_ ? Threads::one : model_->threads(); }
  void prefetch(std::span<const Index> ids) override;  // of its own shards

  Index dim() const override { return model_->dim(); }
  std::string_view rejection() const override { return model_->rejection(); }  // of this rank
  Layout layout() const override { return model_->layout(); }
  void constrain(In x, Out values, const Rng& rng) override { model_->constrain(x, values, rng); }
  void unconstrain(In values, Out x) const override { model_->unconstrain(values, x); }
  void draw_start(Out x, const Rng& rng) const override { model_->draw_start(x, rng); }
  ConstantData constant_data() const override { return model_->constant_data(); }
  std::span<const Interval> support() const override { return model_->support(); }
  Geometry* geometry() override { return model_->geometry(); }
  Hessian* hessian() override { return model_->hessian(); }
  std::span<const Conditional> conditionals() const override { return model_->conditionals(); }
  void draw_conditional(Index i, In x, Out out, const Rng& rng) override { model_->draw_conditional(i, x, out, rng); }
  Index terms() const override { return model_->terms(); }
  Eval prior(In x, Out grad, Want want) override { return model_->prior(x, grad, want); }
  bool proper_prior() const override { return model_->proper_prior(); }

 private:
  template <class AddShard>
  Eval add_own_and_others(Out grad, AddShard&& add_shard);
  template <class AddShard>
  void add_tree(Index first, Index count, Index level, AddShard&& add_shard);
  void group_by_shard(std::span<const Index> ids);
  bool failed(Index level) const { return partial_(dim() + 1, level) > 0; }

  std::unique_ptr<FiniteSum> model_;
  int shards_;
  Exchange* exchange_;
  Share own_;  // of the shards
  // Scratch. A partial sum is a column: the gradient, log pi, how many shards have failed; one for each level of the
  // tree.
  Mat partial_;
  std::vector<Index> grouped_, group_end_, announced_;
};

// UsageError: the target is no sum over data.
std::unique_ptr<Target> sharded(std::unique_ptr<Target> target, int shards, Exchange* exchange);

}  // namespace quasar
