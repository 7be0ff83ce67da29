#include "models/regression/group_effects.hpp"

#include <cmath>

#include <quasar/errors.hpp>

#include "models/regression/scale_prior.hpp"

namespace quasar {

double GroupEffects::density(In x, Out grad) const {
  grad.tail(effects()) = -x.tail(effects());
  double logp = -0.5 * x.tail(effects()).squaredNorm();
  for (Index k = 0; k < outputs_; ++k) add_half_normal(x[k], prior_sd_, logp, grad[k]);
  return logp;
}

void GroupEffects::effects(In x, Out effect) const {
  for (Index k = 0; k < outputs_; ++k) {
    effect.segment(k * groups_, groups_) = std::exp(x[k]) * x.segment(outputs_ + k * groups_, groups_);
  }
}

void GroupEffects::pull_back(In x, In effect, In grad_effect, Out grad) const {
  for (Index k = 0; k < outputs_; ++k) {
    const auto by_effect = grad_effect.segment(k * groups_, groups_);
    grad[k] += by_effect.dot(effect.segment(k * groups_, groups_));
    grad.segment(outputs_ + k * groups_, groups_) += std::exp(x[k]) * by_effect;
  }
}

void GroupEffects::values(In x, double unit, Out values) const {
  values.head(outputs_) = unit * x.head(outputs_).array().exp();
  effects(x, values.tail(effects()));
  values.tail(effects()) *= unit;
}

void GroupEffects::coordinates(In values, double unit, Out x) const {
  for (Index k = 0; k < outputs_; ++k) {
    if (values[k] <= 0) throw UsageError("group_sd must be positive");  // NaN: not given, and so in x
    x[k] = std::log(values[k] / unit);
    x.segment(outputs_ + k * groups_, groups_) = values.segment(outputs_ + k * groups_, groups_) / values[k];
  }
}

}  // namespace quasar
