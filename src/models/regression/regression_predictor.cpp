#include "models/regression/regression_predictor.hpp"

#include <cmath>
#include <limits>
#include <stdexcept>

#include "models/regression/coefficient_values.hpp"

namespace quasar {

RegressionPredictorBase::RegressionPredictorBase(std::shared_ptr<const Design> design, Index outputs,
                                                 const PriorSettings& prior, const ScaleParameter& scale,
                                                 const Table& rows)
    : rows_(std::move(design), outputs),
      b_(outputs * rows_.design().coefficients()),
      effect_(outputs * std::ssize(rows_.design().groups())),
      prior_(coefficient_counts(rows_.design(), outputs), prior),
      scale_(scale),
      observed_(std::make_shared<const std::vector<double>>(rows_.design().observed(rows))) {}

void RegressionPredictorBase::take(std::span<const double> draw, const Rng& rng) {
  rng_ = rng;
  const Eigen::Map<const Vec> values(draw.data(), std::ssize(draw));
  const Index outputs = rows_.outputs(), groups = rows_.design().groups_fitted();
  const Index group_values = groups > 0 ? outputs * (1 + groups) : 0;
  if (values.size() != prior_.dim() + (scale_.exists() ? 1 : 0) + group_values) {
    throw std::invalid_argument("a draw must have all variables of the model");
  }
  Index at = prior_.dim();
  to_standardized(rows_.design(), values.head(b_.size()), outputs, b_);
  if (scale_.exists()) log_scale_ = std::log(values[at++] / response_scale().sd);
  if (groups > 0) take_effects(values.segment(at, outputs), values.segment(at + outputs, outputs * groups));
}

void RegressionPredictorBase::take_effects(In spreads, In effects) {
  const Index fitted = rows_.design().groups_fitted(), all = std::ssize(rows_.design().groups());
  spreads_ = spreads;
  effect_.setConstant(std::numeric_limits<double>::quiet_NaN());
  for (Index k = 0; k < spreads.size(); ++k) {
    effect_.segment(k * all, fitted) = effects.segment(k * fitted, fitted) / response_scale().sd;
  }
}

void RegressionPredictorBase::draw_effects(std::span<const Index> groups) {
  const auto& labels = rows_.design().groups();
  const Rng names = rng_.child("group_effect");
  for (const Index g : groups) {
    if (!std::isnan(effect_[g])) continue;
    Stream stream = names.stream(labels[static_cast<std::size_t>(g)]);
    for (Index k = 0; k < spreads_.size(); ++k) {
      effect_[k * std::ssize(labels) + g] = spreads_[k] * stream.normal() / response_scale().sd;
    }
  }
}

}  // namespace quasar
