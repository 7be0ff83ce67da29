#include "kernels/langevin/sgrld.hpp"

#include "kernels/langevin/euler.hpp"

namespace quasar {

Sgrld::State Sgrld::init(const Vec& x, const Rng& rng) const {
  State s;
  start(x, s, rng);
  s.metric = MassMatrix(x.size(), geometry_->diagonal());
  s.drift = s.noise = Vec::Zero(x.size());
  return s;
}

Sgrld::Info Sgrld::step(Vec& x, State& s, const Rng& rng) const {
  const std::int64_t before = geometry_->grad_evals();
  next_step_size(s);
  fresh_gradient(x, s);
  if (!s.metric.renew(*geometry_, x)) throw_diverged(s.step_size, s.gradient_norm);
  Stream normals = rng.stream("noise");
  s.metric.draw(normals, s.drift);  // N(0, G): its solution has the law N(0, H)
  s.metric.solve(s.drift, s.noise);
  s.metric.solve(s.grad, s.drift);
  geometry_->divergence(x, s.grad);
  x += s.step_size * (s.drift + s.grad) + langevin_spread(s.step_size, params_.temperature) * s.noise;
  into_support(x);
  Info info = report<Info>(s);
  info.grad_evals += geometry_->grad_evals() - before;
  return info;
}

}  // namespace quasar
