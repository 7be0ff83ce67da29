// Generalised linear models: a prior of the coefficients, a law of the response and, where asked for, intercepts of
// groups.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <utility>

#include <quasar/config.hpp>
#include <quasar/core.hpp>
#include <quasar/table.hpp>

#include "models/regression/coefficient_prior.hpp"
#include "models/regression/columns.hpp"
#include "models/regression/family.hpp"
#include "models/regression/group_effects.hpp"
#include "models/regression/row_blocks.hpp"
#include "targets/checked.hpp"

namespace quasar {

// All of a regression but the law of its response. x = the coordinates of the coefficients, s of the law's own
// parameter if it has one, the coordinates of the groups; the values of the layout are in the same order.
class RegressionBase : public FiniteSum {
 public:
  Index dim() const override { return groups_begin() + groups_.dim(); }
  Layout layout() const override;
  void constrain(In x, Out values, const Rng& rng) override;
  void unconstrain(In values, Out x) const override;
  ConstantData constant_data() const override { return design().constant_data(); }

  Index terms() const override { return design().rows(); }
  Eval prior(In x, Out grad, Want want) override;
  void prefetch(std::span<const Index> ids) override { rows_.prefetch(ids); }

 protected:
  RegressionBase(std::shared_ptr<const Design> fitted, Index outputs, const PriorSettings& prior,
                 const ScaleParameter& scale);

  const Design& design() const { return rows_.design(); }
  double log_scale(In x) const { return scale_.exists() ? x[prior_.dim()] : 0; }
  Weights weights(In x);
  WeightSlopes slopes(Out grad);  // zero where they still have to be pulled back to the coordinates
  void pull_back(In x, double scale_slope, Out grad);

  RowBlocks rows_;

 private:
  Index groups_begin() const { return prior_.dim() + (scale_.exists() ? 1 : 0); }

  CoefficientPrior prior_;
  ScaleParameter scale_;
  GroupEffects groups_;
  Vec b_, grad_b_;            // of coordinates that are not the coefficients
  Vec effect_, grad_effect_;  // of groups
};

template <Family Law>
class Regression : public RegressionBase {
 public:
  Regression(const std::shared_ptr<const Design>& design, const PriorSettings& prior)
      : RegressionBase(design, Law::outputs(*design), prior, Law::scale(prior.scale_sd)) {}

  std::unique_ptr<Target> fork() const override { return std::make_unique<Regression>(*this); }

  Eval add_terms(In x, std::span<const Index> ids, double weight, Out grad, Want want) final {
    return add(x, weight, grad, want,
               [&](const Weights& at, WeightSlopes slope, auto& link) { rows_.visit_terms(at, ids, slope, link); });
  }
  Eval add_range(In x, Index begin, Index end, double weight, Out grad, Want want) final {
    return add(x, weight, grad, want, [&](const Weights& at, WeightSlopes slope, auto& link) {
      rows_.visit_range(at, begin, end, slope, link);
    });
  }

 private:
  template <class Visit>
  Eval add(In x, double weight, Out grad, Want want, Visit&& visit) {
    typename Law::Link link(weight, want, log_scale(x));
    visit(weights(x), slopes(grad), link);
    pull_back(x, link.scale_slope(), grad);
    return want == Want::both ? checked(link.logp()) : checked_gradient(grad);
  }
};

template <Family Law, class Model = Regression<Law>>
std::unique_ptr<Target> make_regression(const std::string& name, const Config& config, const Table* data) {
  const Table& table = require_table(data, name);
  return std::make_unique<Model>(std::make_shared<const Design>(table, design_settings(config), Law::response),
                                 prior_settings(config));
}

}  // namespace quasar
