#include "kernels/thermostat/sgnht.hpp"

#include <cmath>

namespace quasar {

Sgnht::State Sgnht::init(const Vec& x, const Rng& rng) const {
  State s;
  start(x, s, rng);
  s.p = s.noise = Vec::Zero(block_.size);
  s.xi = params_.friction;
  rng.stream("momentum").normals(s.p);
  s.p.array() *= params_.mass.array().sqrt();
  return s;
}

Sgnht::Info Sgnht::step(Vec& x, State& s, const Rng& rng) const {
  next_step_size(s);
  fresh_gradient(x, s);
  move_momentum(s, rng.stream("noise"));
  own(x) += s.step_size * s.p.cwiseQuotient(params_.mass);
  into_support(x, s.p);
  s.xi += s.step_size * excess(s);
  Info info;
  info.xi = s.xi;
  return report(s, info);
}

void Sgnht::move_momentum(State& s, Stream normals) const {
  const auto mass = params_.mass.array();
  const double damping = s.step_size * s.xi;
  const double spread = std::sqrt(2 * params_.friction * s.step_size * params_.temperature);
  normals.normals(s.noise);
  if (params_.variant == Params::a) {
    s.p *= 1 - damping;
    s.noise.array() *= spread * mass.sqrt();
  } else {
    s.p.array() *= 1 - damping / mass;
    s.noise *= spread;
  }
  s.p += s.step_size * own(s.grad) + s.noise;
}

double Sgnht::excess(const State& s) const {
  const auto mass = params_.mass.array();
  if (params_.variant == Params::b) return ((s.p.array() / mass).square() - mass.inverse()).mean();
  return (s.p.array().square() / mass).mean() - 1;
}

}  // namespace quasar
