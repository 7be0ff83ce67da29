// Log densities written in Python.
#pragma once

#include <memory>
#include <optional>

#include <quasar/core.hpp>

#include "callback.hpp"

namespace quasar::python {

// f(x) -> (log density, gradient)
class FunctionTarget final : public Target {
 public:
  FunctionTarget(Callback function, Layout layout);

  std::unique_ptr<Target> fork() const override { return std::make_unique<FunctionTarget>(*this); }
  Index dim() const override { return dim_; }
  Layout layout() const override { return layout_; }
  Eval logp_grad(In x, Out grad) override;
  std::string_view rejection() const override { return function_.rejection(); }

 private:
  Callback function_;
  Layout layout_;
  Index dim_;
  ArgumentArray point_;
};

// prior(x) and terms(x, indices), each -> (log density, gradient), the latter summed over the indices.
class FunctionSum final : public FiniteSum {
 public:
  // Without a prior it is flat.
  FunctionSum(Callback terms, std::optional<Callback> prior, Index count, Layout layout);

  std::unique_ptr<Target> fork() const override { return std::make_unique<FunctionSum>(*this); }
  Index dim() const override { return dim_; }
  Layout layout() const override { return layout_; }
  Index terms() const override { return count_; }
  Eval prior(In x, Out grad, Want want) override;
  Eval add_terms(In x, std::span<const Index> ids, double weight, Out grad, Want want) override;
  bool proper_prior() const override { return prior_.has_value(); }
  std::string_view rejection() const override { return prior_rejects_ ? prior_->rejection() : terms_.rejection(); }

 private:
  Callback terms_;
  std::optional<Callback> prior_;
  Index count_;
  Layout layout_;
  Index dim_;
  ArgumentArray point_, ids_;
  Vec gradient_;
  bool prior_rejects_ = false;
};

}  // namespace quasar::python
