#include "kernels/thermostat/sgr_nphmc.hpp"

namespace quasar {

SgrNphmc::SgrNphmc(Target& target, std::shared_ptr<Geometry> geometry, EstimatorSettings estimator, Params params)
    : RiemannianStochastic(target, std::move(geometry), with_values(std::move(estimator)), params) {}

SgrNphmc::State SgrNphmc::init(const Vec& x, const Rng& rng) const {
  State s;
  start(x, s, rng);
  s.flow = RiemannianNosePoincare(*target_, *geometry_, params_.solver, params_.thermostat);
  return s;
}

SgrNphmc::Info SgrNphmc::step(Vec& x, State& s, const Rng& rng) const {
  const std::int64_t before = geometry_->grad_evals();
  begin(x, s, rng);
  for (std::int64_t i = 0; i < params_.leapfrog_steps; ++i) {
    next_step_size(s);
    if (i > 0 && params_.batch == Params::per_half_kick) fresh_potential(s);
    move(s);
  }
  x = s.z.x;
  return report_all(s, s.z.q * s.flow.inverse_mass(s.z), geometry_->grad_evals() - before);
}

void SgrNphmc::begin(const Vec& x, State& s, const Rng& rng) const {
  s.z.x = x;
  s.z.log_s = 0;
  fresh_potential(s);
  Stream noise = rng.stream("momentum");
  s.flow.refresh(noise, s.z);
  s.z.reference = s.flow.energy(s.z);
}

void SgrNphmc::fresh_potential(State& s) const {
  estimator_.draw_batch(s.estimate, s.z.x);
  if (!evaluate(s)) throw_diverged(s.step_size, s.gradient_norm);
  locate(s.flow, s.z);
}

}  // namespace quasar
