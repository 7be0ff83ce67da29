#include "models/regression/regression.hpp"

#include <cmath>
#include <string>

#include <quasar/errors.hpp>

#include "models/regression/coefficient_values.hpp"
#include "models/regression/scale_prior.hpp"

namespace quasar {

RegressionBase::RegressionBase(std::shared_ptr<const Design> fitted, Index outputs, const PriorSettings& prior,
                               const ScaleParameter& scale)
    : rows_(std::move(fitted), outputs),
      prior_(coefficient_counts(design(), outputs), prior),
      scale_(scale),
      groups_(std::ssize(design().groups()), outputs, prior.scale_sd),
      b_(prior_.direct() ? 0 : prior_.counts().all()),
      grad_b_(b_.size()),
      effect_(groups_.effects()),
      grad_effect_(groups_.effects()) {}

Weights RegressionBase::weights(In x) {
  if (groups_.dim() > 0) groups_.effects(x.tail(groups_.dim()), effect_);
  if (prior_.direct()) return {x.head(prior_.dim()), effect_};
  prior_.coefficients(x.head(prior_.dim()), b_);
  return {b_, effect_};
}

WeightSlopes RegressionBase::slopes(Out grad) {
  grad_effect_.setZero();
  if (prior_.direct()) return {grad.head(prior_.dim()), grad_effect_};
  grad_b_.setZero();
  return {grad_b_, grad_effect_};
}

void RegressionBase::pull_back(In x, double scale_slope, Out grad) {
  if (!prior_.direct()) prior_.pull_back(x.head(prior_.dim()), grad_b_, grad.head(prior_.dim()));
  if (scale_.exists()) grad[prior_.dim()] += scale_slope;
  if (groups_.dim() == 0) return;
  groups_.pull_back(x.tail(groups_.dim()), effect_, grad_effect_, grad.tail(groups_.dim()));
}

Eval RegressionBase::prior(In x, Out grad, Want) {
  const Index n = prior_.dim(), groups = groups_.dim();
  double logp = prior_.density(x.head(n), grad.head(n));
  if (scale_.exists()) add_half_normal(x[n], scale_.prior_sd, logp, grad[n]);
  if (groups > 0) logp += groups_.density(x.tail(groups), grad.tail(groups));
  return checked(logp);
}

Layout RegressionBase::layout() const {
  Layout layout = coefficient_layout(design(), prior_.counts().outputs);
  const auto like = [&](std::string name, const std::vector<Index>& shape, const std::vector<std::string>& dims) {
    layout.variables.push_back({std::move(name), shape, dims});
  };
  const Variable beta = layout.variables.back();
  const bool classes = beta.shape.size() == 2;
  if (!prior_.direct()) {
    like("global_scale", {}, {});
    like("local_scale", beta.shape, beta.dims);
  }
  if (scale_.exists()) like(std::string(scale_.name), {}, {});
  if (groups_.dim() == 0) return layout;
  const auto groups = std::ssize(design().groups());
  if (classes) {
    like("group_sd", {beta.shape[0]}, {beta.dims[0]});
    like("group_effect", {beta.shape[0], groups}, {beta.dims[0], "group"});
  } else {
    like("group_sd", {}, {});
    like("group_effect", {groups}, {"group"});
  }
  layout.coords["group"] = design().groups();
  return layout;
}

void RegressionBase::constrain(In x, Out values, const Rng&) {
  const Index n = prior_.dim(), all = prior_.counts().all(), groups = groups_.dim();
  const double unit = design().response_scale().sd;
  to_original(design(), weights(x).coefficients, prior_.counts().outputs, values.head(all));
  values.segment(all, n - all) = x.segment(all, n - all).array().exp();
  if (scale_.exists()) values[n] = unit * std::exp(x[n]);
  if (groups > 0) groups_.values(x.tail(groups), unit, values.tail(groups));
}

void RegressionBase::unconstrain(In values, Out x) const {
  const Index n = prior_.dim(), all = prior_.counts().all(), groups = groups_.dim();
  const double unit = design().response_scale().sd;
  Vec b(all);
  to_standardized(design(), values.head(all), prior_.counts().outputs, b);
  prior_.coordinates(b, values.segment(all, n - all), x.head(n));
  if (scale_.exists()) {
    if (values[n] <= 0)
      throw UsageError(std::string(scale_.name) + " must be positive");  // NaN: not given, and so in x
    x[n] = std::log(values[n] / unit);
  }
  if (groups > 0) groups_.coordinates(values.tail(groups), unit, x.tail(groups));
}

}  // namespace quasar
