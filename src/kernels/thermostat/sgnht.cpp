#include "kernels/thermostat/sgnht.hpp"

#include <cmath>
#include <utility>

namespace quasar {

Sgnht::Sgnht(Target& target, Block block, EstimatorSettings estimator, Params params)
    : Stochastic(target, block, std::move(estimator), std::move(params)) {
  if (params_.mass.dim() == 0) params_.mass = MassMatrix(block.size, true);
}

Sgnht::State Sgnht::init(const Vec& x, const Rng& rng) const {
  State s;
  start(x, s, rng);
  s.p = s.noise = s.velocity = Vec::Zero(block_.size);
  s.xi = params_.friction;
  Stream normals = rng.stream("momentum");
  params_.mass.draw(normals, s.p);
  return s;
}

Sgnht::Info Sgnht::step(Vec& x, State& s, const Rng& rng) const {
  if (params_.hold_batch) estimator_.draw_batch(s.estimate, x);
  Stream normals = rng.stream("noise");
  for (std::int64_t i = 0; i < params_.steps; ++i) {
    next_step_size(s);
    if (!params_.hold_batch) estimator_.draw_batch(s.estimate, x);
    gradient(x, s, s.grad);
    move_momentum(s, normals);
    params_.mass.solve(s.p, s.velocity);
    own(x) += s.step_size * s.velocity;
    s.xi += s.step_size * excess(s);
    into_support(x, s.p);
  }
  if (!std::isfinite(s.xi)) throw_diverged(s.step_size, s.gradient_norm);
  Info info;
  info.xi = s.xi;
  return report(s, info);
}

void Sgnht::move_momentum(State& s, Stream& normals) const {
  const double damping = s.step_size * s.xi;
  const double spread = std::sqrt(2 * params_.friction * s.step_size * params_.temperature);
  if (params_.variant == Params::a) {
    s.p *= 1 - damping;
    params_.mass.draw(normals, s.noise);
  } else {
    params_.mass.solve(s.p, s.velocity);
    s.p -= damping * s.velocity;
    normals.normals(s.noise);
  }
  s.p += s.step_size * own(s.grad) + spread * s.noise;
}

double Sgnht::excess(const State& s) const {
  if (params_.variant != Params::b) return s.p.cwiseProduct(s.velocity).mean() - 1;
  return (s.velocity.array().square() - params_.mass.matrix().col(0).array().inverse()).mean();
}

}  // namespace quasar
