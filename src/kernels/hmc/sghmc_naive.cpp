#include "kernels/hmc/sghmc_naive.hpp"

#include <algorithm>
#include <cmath>

#include "integrators/potential.hpp"

namespace quasar {

SghmcNaive::State SghmcNaive::init(const Vec& x, const Rng& rng) const {
  State s;
  start(x, s, rng);
  s.proposed = s.full_grad = Vec::Zero(x.size());
  s.r = Vec::Zero(block_.size);
  return s;
}

SghmcNaive::Info SghmcNaive::step(Vec& x, State& s, const Rng& rng) const {
  next_step_size(s);
  rng.stream("momentum").normals(s.r);
  Info info;
  if (!params_.metropolis) {
    s.proposed = x;
    trajectory(s);
    x = s.proposed;
    into_support(x);
    return report(s, info);
  }
  const double before = energy(x, s);
  s.proposed = x;
  trajectory(s);
  const double after = energy(s.proposed, s);
  info.accept_prob = after == after ? std::min(1.0, std::exp(before - after)) : 0.0;
  if (rng.stream("choice").uniform() < info.accept_prob) x = s.proposed;
  return report(s, info);
}

void SghmcNaive::trajectory(State& s) const {
  estimator_.draw_batch(s.estimate, s.proposed);
  kick(s, 0.5);
  for (std::int64_t i = 1; i <= params_.leapfrog_steps; ++i) {
    own(s.proposed) += s.step_size * s.r;
    if (params_.batch != Params::per_trajectory) estimator_.draw_batch(s.estimate, s.proposed);
    const bool last = i == params_.leapfrog_steps;
    const bool two_kicks = params_.batch == Params::per_half_kick && !last;
    kick(s, two_kicks || last ? 0.5 : 1);
    if (!two_kicks) continue;
    estimator_.draw_batch(s.estimate, s.proposed);
    kick(s, 0.5);
  }
}

void SghmcNaive::kick(State& s, double weight) const {
  gradient(s.proposed, s, s.grad);
  s.r += weight * s.step_size * own(s.grad);
}

double SghmcNaive::energy(const Vec& x, State& s) const {
  const auto terms = static_cast<std::int64_t>(estimator_.terms());
  ++s.estimate.spent.gradients;
  s.estimate.spent.terms += terms;
  return potential(*target_, x, s.full_grad) + s.r.squaredNorm() / 2;
}

}  // namespace quasar
