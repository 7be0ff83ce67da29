#include "models/topics/topic_sum.hpp"

#include <cmath>
#include <limits>
#include <utility>

#include <quasar/errors.hpp>

#include "models/regression/gamma_functions.hpp"
#include "targets/checked.hpp"

namespace quasar {

TopicSum::TopicSum(std::shared_ptr<LocalTopics> local, std::shared_ptr<const WeightDensity> law, BetaPrior probability,
                   Coordinates coordinates)
    : local_(std::move(local)),
      law_(std::move(law)),
      probability_(probability),
      scale_(law_->layout().size()),
      geometry_(true),
      point_(law_->layout().size()),
      weights_(local_->topics()),
      weight_slope_(local_->topics()),
      slope_(point_.theta.size()) {
  constexpr Interval positive{0, std::numeric_limits<double>::infinity()};
  if (coordinates == Coordinates::natural) support_.assign(static_cast<std::size_t>(dim()), positive);
  law_->start(point_.theta);
  point_.log_theta = point_.theta.array().log();
  law_->weights(point_, weights_);
  law_->start_curvature(local_->exposure(weights_.r.sum()), scale_);
  if (natural()) {
    scale_ = scale_.cwiseQuotient(point_.theta);
  } else {
    scale_ = scale_.cwiseSqrt();
  }
}

bool TopicSum::locate(In x) {
  if (natural()) {
    point_.theta = x.cwiseQuotient(scale_);
    point_.log_theta = point_.theta.array().log();
  } else {
    point_.log_theta = x.cwiseQuotient(scale_);
    point_.theta = point_.log_theta.array().exp();
  }
  if (!point_.theta.allFinite() || !point_.log_theta.allFinite()) return false;
  law_->weights(point_, weights_);
  if (!weights_.r.allFinite()) return false;
  weights_.r = weights_.r.cwiseMax(least_weight);
  return true;
}

void TopicSum::constrain(In x, Out values, const Rng&) {
  values = x.cwiseQuotient(scale_);
  if (!natural()) values = values.array().exp();
}

void TopicSum::unconstrain(In values, Out x) const {
  if ((values.array() <= 0).any()) throw UsageError("what weights of topics are made of must be positive");
  x = values;
  if (!natural()) x = x.array().log();
  x = x.cwiseProduct(scale_);
}

// Slopes are theta d/dtheta = x d/dx in natural coordinates: those of log theta have the Jacobian's 1 beside them.
void TopicSum::add_slope(In x, double weight, double jacobian, Out grad) const {
  if (natural()) {
    grad += weight * slope_.cwiseQuotient(x);
  } else {
    grad.array() += (weight * slope_.array() + jacobian) / scale_.array();
  }
}

Eval TopicSum::prior(In x, Out grad, Want) {
  if (!locate(x)) return {-std::numeric_limits<double>::infinity(), false};
  const double log_density = law_->log_density(point_, slope_);
  grad.setZero();
  add_slope(x, 1, 1, grad);
  return checked(natural() ? log_density : log_density + point_.log_theta.sum());
}

Eval TopicSum::add_terms(In x, std::span<const Index> ids, double weight, Out grad, Want want) {
  if (!locate(x)) return {-std::numeric_limits<double>::infinity(), false};
  if (!local_->awake()) return {0};
  local_->look_at(ids, weights_.r);
  const double total = weights_.r.sum();
  const GammaRatio of_totals(probability_.b + total);
  weight_slope_.setZero();
  double value = 0, total_slope = 0;
  for (const Index id : ids) {
    const double trials = probability_.a + static_cast<double>(local_->tokens(id));
    const GammaRatio::Value ratio = of_totals(trials);
    total_slope -= ratio.slope;
    value += add_document(id, want) - ratio.log - trials * std::log(probability_.b + total);
  }
  weight_slope_ += total_slope / (probability_.b + total) * weights_.r;
  law_->pull_back(point_, weight_slope_, slope_);
  add_slope(x, weight, 0, grad);
  return checked(want == Want::both ? weight * value : 0);
}

// sum_k log Gamma(r_k + x_jk)/Gamma(r_k), and its slopes r (psi(r + x) - psi(r)) = 1 + sum_{0 < i < x} r/(r + i).
double TopicSum::add_document(Index document, Want want) {
  double value = 0;
  for (const auto& [topic, tokens] : local_->entries(document)) {
    const double r = weights_.r[topic];
    double slope = 1;
    for (std::uint32_t i = 1; i < tokens; ++i) slope += r / (r + i);
    weight_slope_[topic] += slope;
    if (want == Want::gradient) continue;
    value += weights_.log_r[topic];
    for (std::uint32_t i = 1; i < tokens; ++i) value += std::log(r + i);
  }
  return value;
}

}  // namespace quasar
