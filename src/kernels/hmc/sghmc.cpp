#include "kernels/hmc/sghmc.hpp"

#include <fmt/core.h>

#include <cmath>

#include <quasar/errors.hpp>

namespace quasar {

Sghmc::Sghmc(Target& target, Block block, EstimatorSettings estimator, Params params)
    : Stochastic(target, block, std::move(estimator), std::move(params)) {
  if (params_.mass.dim() == 0) params_.mass = MassMatrix(block.size, true);
}

Sghmc::State Sghmc::init(const Vec& x, const Rng& rng) const {
  State s;
  start(x, s, rng);
  s.friction = params_.friction;
  s.variance = params_.noise_variance;
  if (params_.noise == Params::learned_diagonal) s.variance = Mat::Zero(block_.size, 1);
  s.p = s.noise = s.velocity = Vec::Zero(block_.size);
  refresh(s, rng);
  return s;
}

Sghmc::Info Sghmc::step(Vec& x, State& s, const Rng& rng) const {
  if (params_.refresh) refresh(s, rng);
  if (params_.hold_batch) estimator_.draw_batch(s.estimate, x);
  Stream normals = rng.stream("noise");
  for (std::int64_t i = 0; i < params_.steps; ++i) {
    next_step_size(s);
    if (!params_.momentum_first) drift(x, s);
    kick(x, s, normals);
    if (params_.momentum_first) drift(x, s);
  }
  Info info;
  info.excess_noise = s.excess_noise;
  info.noise_variance = s.variance.size() > block_.size ? s.variance.diagonal().mean() : s.variance.mean();
  return report(s, info);
}

void Sghmc::drift(Vec& x, State& s) const {
  params_.mass.solve(s.p, s.velocity);
  own(x) += s.step_size * s.velocity;
  into_support(x, s.p);
}

void Sghmc::kick(const Vec& x, State& s, Stream& normals) const {
  if (!params_.hold_batch) estimator_.draw_batch(s.estimate, x);
  gradient(x, s, s.grad);
  renew_variance(s);
  s.friction.damp(s.step_size, params_.mass, s.p);
  s.friction.draw(normals, s.noise);
  s.p += s.step_size * own(s.grad) + s.noise;
}

void Sghmc::refresh(State& s, const Rng& rng) const {
  Stream normals = rng.stream("momentum");
  params_.mass.draw(normals, s.p);
  s.p *= std::sqrt(params_.temperature);
}

void Sghmc::renew_variance(State& s) const {
  // A batch that is held is a constant force: over L steps it heats L times as much as L fresh ones.
  const double heat = params_.hold_batch ? static_cast<double>(params_.steps) : 1;
  if (params_.noise == Params::learned_scalar) s.variance(0, 0) = heat * own(s.estimate.noise.diagonal()).mean();
  if (params_.noise == Params::learned_diagonal) s.variance.col(0) = heat * own(s.estimate.noise.diagonal());
  s.excess_noise = !s.friction.renew_noise(s.step_size, params_.temperature, s.variance);
  if (!s.excess_noise || params_.noise != Params::given) return;
  throw RunError(fmt::format(
      "the noise of the gradient is more than the friction takes up: step_size/2 times its variance (mean {:.3g}) must "
      "not exceed the friction. Try more friction, a smaller step_size or a larger batch_size",
      s.variance.mean()));
}

}  // namespace quasar
