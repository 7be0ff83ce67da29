// logistic: Bayesian logistic regression, P(y = 1) = 1 / (1 + e^-z), z = intercept + x'beta.
#pragma once

#include <memory>

#include <quasar/config.hpp>
#include <quasar/core.hpp>
#include <quasar/table.hpp>

#include "models/regression/logistic_geometry.hpp"
#include "models/regression/row_blocks.hpp"

namespace quasar {

// x = the intercept and coefficients of the (standardised) columns, each N(0, prior_sd^2).
class Logistic final : public FiniteSum {
 public:
  Logistic(const std::shared_ptr<const Design>& design, double prior_sd)
      : rows_(design), prior_sd_(prior_sd), geometry_(design, prior_sd) {}

  std::unique_ptr<Target> fork() const override { return std::make_unique<Logistic>(*this); }
  Index dim() const override { return rows_.design().coefficients(); }
  Layout layout() const override { return rows_.design().layout(); }
  void constrain(In x, Out values, const Rng&) override { rows_.design().to_original(x, values); }
  void unconstrain(In values, Out x) const override { rows_.design().to_standardized(values, x); }
  ConstantData constant_data() const override { return rows_.design().constant_data(); }
  Geometry* geometry() override { return &geometry_; }
  Hessian* hessian() override { return &geometry_; }

  Index terms() const override { return rows_.design().rows(); }
  Eval prior(In x, Out grad, Want want) override;
  Eval add_terms(In x, std::span<const Index> ids, double weight, Out grad, Want want) override;
  Eval add_range(In x, Index begin, Index end, double weight, Out grad, Want want) override;
  void prefetch(std::span<const Index> ids) override { rows_.prefetch(ids); }

 private:
  RowBlocks rows_;
  double prior_sd_;
  LogisticGeometry geometry_;
};

inline constexpr std::span<const ParamSpec> logistic_params = regression_params;
std::unique_ptr<Target> make_logistic(const Config& config, const Table* data);

}  // namespace quasar
