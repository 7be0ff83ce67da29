#include "kernels/hmc/rhmc.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include <quasar/errors.hpp>

#include "integrators/potential.hpp"

namespace quasar {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

}  // namespace

Rhmc::Rhmc(Target& target, std::shared_ptr<Geometry> geometry, Params params)
    : target_(&target), geometry_(std::move(geometry)), params_(params) {}

Rhmc::State Rhmc::init(const Vec& x, const Rng&) const {
  State s;
  s.g.resize(x.size());
  s.diverged_at = x;
  s.flow = GeneralizedLeapfrog(*target_, *geometry_, params_.solver);
  s.z = RiemannianPoint(x.size(), geometry_->diagonal());
  rebase(x, s);
  return s;
}

void Rhmc::rebase(const Vec& x, State& s) const { s.u = potential(*target_, x, s.g); }

double Rhmc::start(const Vec& x, State& s, const Rng& rng) {
  s.z.x = x;
  s.z.g = s.g;
  s.z.u = s.u;
  if (s.flow.locate(s.z) != StepFailure::none) {
    throw RunError(
        "the metric is not positive definite where the chain is: start elsewhere (--init), or use another "
        "metric, geometry=softabs for instance");
  }
  Stream noise = rng.stream("momentum");
  GeneralizedLeapfrog::refresh(noise, s.z);
  return s.z.energy();
}

double Rhmc::log_accept(double step_size, const Vec& x, State& s, const Rng& rng) const {
  const double before = start(x, s, rng);
  return s.flow.step(step_size, s.z) == StepFailure::none ? before - s.z.energy() : -infinity;
}

StepFailure Rhmc::travel(State& s, Info& info) const {
  const std::int64_t steps = params_.steps();
  StepFailure failure = StepFailure::none;
  while (info.n_steps < steps && failure == StepFailure::none) {
    s.diverged_at = s.z.x;
    failure = s.flow.step(info.step_size, s.z);
    ++info.n_steps;
  }
  info.int_time = info.step_size * static_cast<double>(info.n_steps);
  return failure;
}

Rhmc::Info Rhmc::step(Vec& x, State& s, const Rng& rng) const {
  Stream choice = rng.stream("choice");
  Info info;
  info.step_size = params_.step_size * (1 + params_.jitter * (2 * choice.uniform() - 1));
  info.step_size_nom = params_.step_size;
  const std::int64_t gradients = s.flow.grad_evals(), iterations = s.flow.iterations();
  const double before = start(x, s, rng);
  const StepFailure failure = travel(s, info);
  info.solver_failed = failure != StepFailure::none;
  info.solver_failure = static_cast<std::int64_t>(failure);
  const double after = info.solver_failed ? infinity : s.z.energy();
  info.energy_error = after - before;
  const double log_ratio = before - after;
  info.accept_prob = log_ratio == log_ratio ? std::min(1.0, std::exp(log_ratio)) : 0.0;
  info.diverged = !info.solver_failed && !(info.energy_error <= divergence_threshold);
  const bool taken = choice.uniform() < info.accept_prob;
  if (taken) {
    x.swap(s.z.x);
    s.g.swap(s.z.g);
    s.u = s.z.u;
  }
  info.energy = taken ? after : before;
  info.lp = -s.u;
  info.grad_evals = s.flow.grad_evals() - gradients;
  info.solver_iterations = s.flow.iterations() - iterations;
  return info;
}

}  // namespace quasar
