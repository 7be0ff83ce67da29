#include "kernels/hmc/sghmc_naive.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

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
  s.proposed = x;
  Info info;
  if (!params_.metropolis) {
    trajectory(s);
    x = s.proposed;
    return report(s, info);
  }
  const double before = energy(x, s);
  const double after = trajectory(s) ? energy(s.proposed, s) : std::numeric_limits<double>::infinity();
  info.accept_prob = after == after ? std::min(1.0, std::exp(before - after)) : 0.0;
  if (rng.stream("choice").uniform() < info.accept_prob) x = s.proposed;
  return report(s, info);
}

bool SghmcNaive::trajectory(State& s) const {
  estimator_.draw_batch(s.estimate, s.proposed);
  bool inside = kick(s, 0.5);
  for (std::int64_t i = 1; inside && i <= params_.leapfrog_steps; ++i) {
    own(s.proposed) += s.step_size * s.r;
    into_support(s.proposed, s.r);
    if (params_.batch != Params::per_trajectory) estimator_.draw_batch(s.estimate, s.proposed);
    const bool last = i == params_.leapfrog_steps;
    const bool two_kicks = params_.batch == Params::per_half_kick && !last;
    inside = kick(s, two_kicks || last ? 0.5 : 1);
    if (!two_kicks) continue;
    estimator_.draw_batch(s.estimate, s.proposed);
    inside = inside && kick(s, 0.5);
  }
  return inside;
}

// With a Metropolis test a gradient that does not exist is a rejection, without one the end of the run.
bool SghmcNaive::kick(State& s, double weight) const {
  const Eval at = estimator_.gradient(s.estimate, s.proposed, s.grad);
  s.gradient_norm = own(s.grad).norm();
  const bool good = at.ok && std::isfinite(s.gradient_norm);
  if (!params_.metropolis) check(s, at, s.grad);
  if (good) s.r += weight * s.step_size * own(s.grad);
  return good;
}

double SghmcNaive::energy(const Vec& x, State& s) const {
  const auto terms = static_cast<std::int64_t>(estimator_.terms());
  ++s.estimate.spent.gradients;
  s.estimate.spent.terms += terms;
  return potential(*target_, x, s.full_grad) + s.r.squaredNorm() / 2;
}

}  // namespace quasar
