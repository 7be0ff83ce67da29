#include "estimators/gradient_estimator.hpp"

#include <cmath>
#include <stdexcept>
#include <utility>

namespace quasar {

GradientEstimator::GradientEstimator(Target& target, EstimatorSettings settings)
    : target_(&target),
      sum_(dynamic_cast<FiniteSum*>(&target)),
      settings_(std::move(settings)),
      batches_(static_cast<Index>(terms()), settings_.batch_size, settings_.order) {
  const bool halves = settings_.track_noise && settings_.kind != EstimatorSettings::full;
  if (!sum_ && settings_.kind != EstimatorSettings::full) throw std::invalid_argument("no sum to take a batch of");
  if (halves && settings_.batch_size < 2) throw std::invalid_argument("a batch of one has no halves");
}

double GradientEstimator::terms() const { return sum_ ? static_cast<double>(sum_->terms()) : 1; }

GradientEstimator::State GradientEstimator::init(In x, const Rng& rng) const {
  State s;
  s.names = rng.child("estimator");
  s.spent = {settings_.prepared, settings_.prepared * static_cast<std::int64_t>(terms())};
  s.noise = NoiseVariance(settings_.track_noise ? x.size() : 0);
  s.normal.resize(settings_.added_noise > 0 ? x.size() : 0);
  if (!sum_) s.first_half.resize(x.size());
  if (settings_.kind == EstimatorSettings::full) return s;
  s.ids.resize(static_cast<std::size_t>(settings_.batch_size));
  s.next_ids.resize(s.ids.size());
  s.shuffle = batches_.make_shuffle();
  if (settings_.track_noise) s.first_half = s.second_half = Vec(x.size());
  if (anchored()) set_anchor(s, settings_.kind == EstimatorSettings::svrg ? x : In(settings_.mode));
  return s;
}

void GradientEstimator::draw_batch(State& s, In x) const {
  ++s.batch;
  if (settings_.kind == EstimatorSettings::full) return;
  if (s.upcoming != s.batch) batches_.draw(s.names, s.batch, s.shuffle, s.next_ids);
  s.ids.swap(s.next_ids);
  s.upcoming = s.batch + 1;
  batches_.draw(s.names, s.upcoming, s.shuffle, s.next_ids);
  sum_->prefetch(s.next_ids);
  if (settings_.kind == EstimatorSettings::svrg && s.anchor_age >= settings_.anchor_every) set_anchor(s, x);
  ++s.anchor_age;
}

void GradientEstimator::set_anchor(State& s, In a) const {
  s.anchor = a;
  s.anchor_sum.setZero(a.size());
  s.anchor_value = sum_->add_all(s.anchor, 1.0, s.anchor_sum, settings_.want).logp;
  s.anchor_age = 0;
  ++s.spent.gradients;
  s.spent.terms += sum_->terms();
}

Eval GradientEstimator::prior(State&, In x, Out grad) const {
  if (sum_) return sum_->prior(x, grad, settings_.want);
  grad.setZero();
  return {0};
}

Eval GradientEstimator::add_likelihood(State& s, In x, Out grad) const {
  Eval at{0};
  ++s.spent.gradients;
  if (!sum_) {
    at = target_->logp_grad(x, s.first_half);
    grad += s.first_half;
    ++s.spent.terms;
  } else if (settings_.kind == EstimatorSettings::full) {
    at = sum_->add_all(x, 1.0, grad, settings_.want);
    s.spent.terms += sum_->terms();
  } else {
    if (anchored()) grad += s.anchor_sum;
    at = settings_.track_noise && s.tracked != s.batch ? add_halves(s, x, grad) : add_batch(s, x, s.ids, grad);
    at.logp += s.anchor_value;
  }
  if (settings_.added_noise > 0) add_normal(s, grad);
  return at;
}

Eval GradientEstimator::gradient(State& s, In x, Out grad) const {
  if (!sum_ && settings_.added_noise == 0) {
    ++s.spent.gradients;
    ++s.spent.terms;
    return target_->logp_grad(x, grad);
  }
  const Eval at = prior(s, x, grad);
  if (!at.ok) return at;
  const Eval likelihood = add_likelihood(s, x, grad);
  return {at.logp + likelihood.logp, likelihood.ok};
}

Eval GradientEstimator::add_batch(State& s, In x, std::span<const Index> ids, Out grad) const {
  const double weight = terms() / static_cast<double>(settings_.batch_size);
  s.spent.terms += static_cast<std::int64_t>(ids.size());
  const Eval here = sum_->add_terms(x, ids, weight, grad, settings_.want);
  if (!anchored() || !here.ok) return here;
  s.spent.terms += static_cast<std::int64_t>(ids.size());
  const Eval there = sum_->add_terms(s.anchor, ids, -weight, grad, settings_.want);
  return {here.logp + there.logp, there.ok};
}

// Halves of sizes p and q have means that differ with variance S (1/p + 1/q), S that of a term, and the estimate has
// variance N^2 S f / n, f the population factor: so V = (N/n)^2 f [S_p/p - S_q/q]^2 n / (1/p + 1/q) without bias. The
// weight N/n is already in the two sums.
Eval GradientEstimator::add_halves(State& s, In x, Out grad) const {
  const std::span<const Index> ids(s.ids);
  const std::size_t half = ids.size() / 2;
  s.first_half.setZero();
  s.second_half.setZero();
  const Eval first = add_batch(s, x, ids.first(half), s.first_half);
  const Eval second = add_batch(s, x, ids.subspan(half), s.second_half);
  grad += s.first_half + s.second_half;
  const auto p = static_cast<double>(half), q = static_cast<double>(ids.size() - half);
  const double factor = batches_.population_factor() * (p + q) / (1 / p + 1 / q);
  s.first_half = (factor * (s.first_half / p - s.second_half / q).array().square()).matrix();
  s.first_half.array() += settings_.added_noise;
  s.noise.add(s.first_half);
  s.tracked = s.batch;
  return {first.logp + second.logp, first.ok && second.ok};
}

void GradientEstimator::add_normal(State& s, Out grad) const {
  s.names.at(static_cast<std::uint64_t>(s.batch)).stream("noise").normals(s.normal);
  grad += std::sqrt(settings_.added_noise) * s.normal;
  if (settings_.kind == EstimatorSettings::full && settings_.track_noise) {
    s.noise.add(Vec::Constant(s.normal.size(), settings_.added_noise));
  }
}

}  // namespace quasar
