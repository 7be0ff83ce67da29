// A model without its likelihood: what the prior alone says.
#pragma once

#include <memory>

#include <quasar/core.hpp>

namespace quasar {

class PriorOnly final : public Target {
 public:
  explicit PriorOnly(std::unique_ptr<FiniteSum> model) : model_(std::move(model)) {}

  std::unique_ptr<Target> fork() const override;
  Index dim() const override { return model_->dim(); }
  Threads threads() const override { return model_->threads(); }
  std::string_view rejection() const override { return model_->rejection(); }
  Eval logp_grad(In x, Out grad) override { return model_->prior(x, grad, Want::both); }
  Layout layout() const override { return model_->layout(); }
  void constrain(In x, Out values, const Rng& rng) override { model_->constrain(x, values, rng); }
  void unconstrain(In values, Out x) const override { model_->unconstrain(values, x); }
  ConstantData constant_data() const override { return model_->constant_data(); }
  std::span<const Interval> support() const override { return model_->support(); }
  void draw_start(Out x, const Rng& rng) const override { model_->draw_start(x, rng); }

 private:
  std::unique_ptr<FiniteSum> model_;
};

// UsageError when the target is not a prior plus a sum over data.
std::unique_ptr<Target> without_likelihood(std::unique_ptr<Target> target);

}  // namespace quasar
