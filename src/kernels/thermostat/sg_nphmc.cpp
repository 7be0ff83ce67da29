#include "kernels/thermostat/sg_nphmc.hpp"

#include <cmath>

namespace quasar {

struct SgNphmc::Forces {
  const SgNphmc& kernel;
  State& s;

  void velocity(In p, double damping, Out v) const {
    const MassMatrix& mass = kernel.params_.mass;
    if (mass.diagonal()) {
      v = p.array() / (mass.matrix().col(0).array() + damping);
    } else if (damping == 0) {
      mass.solve(p, v);
    } else {
      s.damped_mass.compute(mass.matrix() + damping * Mat::Identity(p.size(), p.size()));
      v = p;
      s.damped_mass.solveInPlace(v);
    }
  }

  void renew(PhasePoint& z) const {
    if (!kernel.target_->support().empty()) {
      kernel.into_support(z.x, z.p);
      velocity(z.p, 0, z.v);
    }
    if (kernel.params_.batch != Params::per_trajectory) kernel.estimator_.draw_batch(s.estimate, z.x);
    kernel.evaluate(s);
  }
};

SgNphmc::SgNphmc(Target& target, Block block, EstimatorSettings estimator, Params params)
    : Stochastic(target, block, with_values(std::move(estimator)), std::move(params)) {
  if (params_.mass.matrix().size() == 0) params_.mass = MassMatrix(block.size, true);
}

SgNphmc::State SgNphmc::init(const Vec& x, const Rng& rng) const {
  State s;
  start(x, s, rng);
  s.z = s.start_z = PhasePoint(x.size(), block_.size);
  s.p = s.noise = s.variance = Vec::Zero(block_.size);
  if (!params_.mass.diagonal()) s.damped_mass.compute(params_.mass.matrix());
  return s;
}

SgNphmc::Info SgNphmc::step(Vec& x, State& s, const Rng& rng) const {
  begin(x, s, rng);
  Stream normals = rng.stream("noise");
  for (std::int64_t i = 0; i < params_.leapfrog_steps; ++i) {
    next_step_size(s);
    if (i > 0 && params_.batch == Params::per_half_kick) {
      estimator_.draw_batch(s.estimate, s.z.x);
      evaluate(s);
    }
    move(s);
    if (params_.inject) inject(normals, s);
  }
  x = s.z.x;
  s.p = std::exp(-s.bath.log_s) * s.z.p;
  s.q = s.bath.q;
  if (!std::isfinite(s.q)) throw_diverged(s.step_size, s.gradient_norm);
  Info info;
  info.log_s = s.bath.log_s;
  info.thermostat = s.q / params_.thermostat_mass;
  info.too_long = s.failed.close(params_.leapfrog_steps, s.step_size);
  return report(s, info);
}

void SgNphmc::begin(const Vec& x, State& s, const Rng& rng) const {
  s.z.x = x;
  estimator_.draw_batch(s.estimate, x);
  evaluate(s);
  Stream momentum = rng.stream("momentum"), thermostat = rng.stream("thermostat");
  params_.mass.draw(momentum, s.z.p);
  s.z.p *= std::sqrt(params_.temperature);
  s.bath = {0, std::sqrt(params_.temperature * params_.thermostat_mass) * thermostat.normal()};
  s.dynamics = {.degrees = static_cast<double>(block_.size),
                .temperature = params_.temperature,
                .thermostat_mass = params_.thermostat_mass,
                .friction = params_.friction,
                .thermostat_friction = params_.thermostat_friction};
  params_.mass.solve(s.z.p, s.z.v);
  s.dynamics.offset = s.dynamics.energy(s.z.u, s.z.p.dot(s.z.v), s.bath);
}

void SgNphmc::evaluate(State& s) const {
  const Eval at = estimator_.gradient(s.estimate, s.z.x, s.z.g);
  check(s, at, s.z.g);
  s.z.g = -s.z.g;
  s.z.u = -at.logp;
}

// A step that is too long is taken in two halves; where that fails too the chain stays and turns round.
void SgNphmc::move(State& s) const {
  s.start_z = s.z;
  s.start_bath = s.bath;
  if (try_steps(1, s.step_size, s) || try_steps(2, s.step_size / 2, s)) return;
  s.z.p = -s.z.p;
  s.bath.q = -s.bath.q;
  ++s.failed.count;
}

bool SgNphmc::try_steps(int count, double size, State& s) const {
  for (int i = 0; i < count; ++i) {
    if (nose_poincare_step(s.dynamics, Forces{*this, s}, block_, size, s.z, s.bath)) continue;
    s.z = s.start_z;
    s.bath = s.start_bath;
    return false;
  }
  return true;
}

void SgNphmc::inject(Stream& normals, State& s) const {
  const double heat = params_.batch == Params::per_half_kick    ? 0.5
                      : params_.batch == Params::per_trajectory ? static_cast<double>(params_.leapfrog_steps)
                                                                : 1;
  params_.noise.variance(s.estimate, block_, heat, s.variance);
  normals.normals(s.noise);
  const double e = s.step_size, wanted = 2 * e * params_.temperature * params_.friction;
  s.z.p.array() += std::exp(s.bath.log_s) * (wanted - e * e * s.variance.array()).max(0).sqrt() * s.noise.array();
}

}  // namespace quasar
