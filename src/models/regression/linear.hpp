// linear: Bayesian linear regression, y ~ N(intercept + x'beta, sigma^2).
#pragma once

#include <memory>

#include <quasar/config.hpp>
#include <quasar/core.hpp>
#include <quasar/table.hpp>

#include "models/regression/row_blocks.hpp"

namespace quasar {

// x = the intercept and coefficients of the (standardised) columns, each N(0, prior_sd^2), and log sigma with sigma
// half-normal(0, prior_sd). With standardize the response is standardised too.
class Linear final : public FiniteSum {
 public:
  Linear(std::shared_ptr<const Design> design, double prior_sd) : rows_(std::move(design)), prior_sd_(prior_sd) {}

  std::unique_ptr<Target> fork() const override { return std::make_unique<Linear>(*this); }
  Index dim() const override { return coefficients() + 1; }
  Layout layout() const override;  // intercept, beta[predictor], sigma
  void constrain(In x, Out values, const Rng& rng) override;
  void unconstrain(In values, Out x) const override;
  ConstantData constant_data() const override { return rows_.design().constant_data(); }

  Index terms() const override { return rows_.design().rows(); }
  Eval prior(In x, Out grad, Want want) override;
  Eval add_terms(In x, std::span<const Index> ids, double weight, Out grad, Want want) override;
  Eval add_range(In x, Index begin, Index end, double weight, Out grad, Want want) override;
  void prefetch(std::span<const Index> ids) override { rows_.prefetch(ids); }

 private:
  Index coefficients() const { return rows_.design().coefficients(); }

  RowBlocks rows_;
  double prior_sd_;
};

inline constexpr std::span<const ParamSpec> linear_params = regression_params;
std::unique_ptr<Target> make_linear(const Config& config, const Table* data);

}  // namespace quasar
