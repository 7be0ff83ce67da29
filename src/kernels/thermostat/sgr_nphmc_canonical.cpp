#include "kernels/thermostat/sgr_nphmc_canonical.hpp"

#include <algorithm>
#include <cmath>

namespace quasar {

SgrNphmcCanonical::State SgrNphmcCanonical::init(const Vec& x, const Rng& rng) const {
  State s;
  start(x, s, rng);
  s.flow = GeneralizedLeapfrog(*target_, *geometry_, params_.solver, params_.thermostat.temperature);
  s.noise = Vec::Zero(x.size());
  estimator_.draw_batch(s.estimate, x);
  rebase(x, s);
  const std::int64_t before = geometry_->grad_evals();
  place(x, s);
  s.estimate.spent.gradients += geometry_->grad_evals() - before;
  Stream momentum = rng.stream("momentum");
  GeneralizedLeapfrog::refresh(momentum, s.z);
  s.p = std::sqrt(params_.thermostat.temperature) * s.z.p;
  return s;
}

void SgrNphmcCanonical::rebase(const Vec& x, State& s) const { gradient(x, s, s.grad); }

SgrNphmcCanonical::Info SgrNphmcCanonical::step(Vec& x, State& s, const Rng& rng) const {
  const std::int64_t before = geometry_->grad_evals();
  if (params_.batch == Params::per_trajectory) fresh_gradient(x, s);
  place(x, s);
  s.z.p = s.p;
  s.z.metric.solve(s.z.p, s.z.v);
  Stream normals = rng.stream("noise");
  for (std::int64_t i = 0; i < params_.leapfrog_steps; ++i) {
    next_step_size(s);
    push(s);
    damp(s);
    mix(normals, s);
    move(s);
    mix(normals, s);
    damp(s);
    push(s);
  }
  x = s.z.x;
  s.grad = -s.z.g;
  s.p = s.z.p;
  return report_all(s, s.bath.q / params_.thermostat.thermostat_mass, geometry_->grad_evals() - before);
}

void SgrNphmcCanonical::place(const Vec& x, State& s) {
  s.z.x = x;
  s.z.g = -s.grad;
  locate(s.flow, s.z);
}

void SgrNphmcCanonical::push(State& s) const {
  params_.thermostat.push(s.step_size / 2, s.z.p.dot(s.z.v), s.z.p.size(), s.bath);
}

void SgrNphmcCanonical::damp(State& s) const {
  const double left = params_.thermostat.damping(s.step_size / 2, s.bath);
  s.z.p *= left;
  s.z.v *= left;
}

// A batch that is held is a constant force: over L steps it heats L times as much as L fresh ones.
void SgrNphmcCanonical::mix(Stream& normals, State& s) const {
  const double e = s.step_size, decay = params_.friction * e / 2;
  const double heat = params_.batch == Params::per_trajectory ? static_cast<double>(params_.leapfrog_steps) : 1;
  const double wanted = -std::expm1(-2 * decay) * params_.thermostat.temperature;
  const double spread = std::sqrt(std::max(0.0, wanted - heat * e * e / 2 * params_.noise_ratio));
  s.z.metric.draw(normals, s.noise);
  s.z.p = std::exp(-decay) * s.z.p + spread * s.noise;
  s.z.metric.solve(s.z.p, s.z.v);
}

}  // namespace quasar
