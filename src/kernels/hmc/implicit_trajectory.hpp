// What the kernels on a metric that follows the place share: a fresh start, L implicit steps of one size, Metropolis.
//
// A step that cannot be solved, or whose reverse does not come back, rejects the whole trajectory and is reported. The
// step size is jittered by a factor uniform in 1 +- jitter.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <utility>

#include <quasar/core.hpp>
#include <quasar/rng.hpp>

#include "integrators/implicit_solver.hpp"
#include "integrators/potential.hpp"
#include "kernels/hmc/trajectory.hpp"
#include "kernels/locate.hpp"

namespace quasar {

struct ImplicitTrajectoryParams : TrajectoryParams {
  ImplicitSettings solver = {};
};

struct ImplicitTrajectoryInfo : TrajectoryInfo {
  std::int64_t solver_iterations = 0, solver_failure = 0;
  bool solver_failed = false;
  double step_accept_prob = 0;  // as if the flow itself were always accepted
  static void fields(auto& self, auto&& visit) {
    TrajectoryInfo::fields(self, visit);
    visit("solver_failed", self.solver_failed);
    visit("solver_failure", self.solver_failure);  // a StepFailure
    visit("solver_iterations", self.solver_iterations);
  }
};

// The cache depends on the target alone; G is made anew where a trajectory starts.
template <class F>
struct ImplicitTrajectoryState {
  double u = 0;  // potential at x
  Vec g;         // its gradient
  // scratch
  F flow;
  typename F::Point z;  // the moving point
  Vec diverged_at;      // the last position before the step that diverged

  static void fields(auto& self, auto&& visit) {
    visit("u", self.u);
    visit("g", self.g);
  }
};

// F: the integrator. Dynamics gives what differs: flow() makes the integrator, begin(s, rng) completes s.z, which is at
// x, with fresh momenta; energy(s) is what Metropolis compares and conserved(s) what the exact flow keeps, where that
// is not the same; accepted(s) keeps more of s.z than the position. The metric belongs to the whole of x, so the kernel
// moves all of it.
template <class Dynamics, class P, class F, class S = ImplicitTrajectoryState<F>>
class ImplicitTrajectory {
 public:
  using Params = P;
  using State = S;
  using Info = ImplicitTrajectoryInfo;

  ImplicitTrajectory(Target& target, std::shared_ptr<Geometry> geometry, Params params)
      : target_(&target), geometry_(std::move(geometry)), params_(params) {}

  Params& params() { return params_; }
  const Params& params() const { return params_; }

  State init(const Vec& x, const Rng&) const {
    State s;
    s.g.resize(x.size());
    s.diverged_at = x;
    s.flow = dynamics().flow();
    s.z = typename F::Point(x.size(), geometry_->diagonal());
    rebase(x, s);
    return s;
  }

  void rebase(const Vec& x, State& s) const { s.u = potential(*target_, x, s.g); }

  // log of the Metropolis ratio of a single step: what the search for a first step size looks at.
  double log_accept(double step_size, const Vec& x, State& s, const Rng& rng) const {
    start(x, s, rng);
    const double before = dynamics().conserved(s);
    return s.flow.step(step_size, s.z) == StepFailure::none ? before - dynamics().conserved(s) : -infinity;
  }

  Info step(Vec& x, State& s, const Rng& rng) const {
    Stream choice = rng.stream("choice");
    Info info;
    info.step_size = params_.step_size * (1 + params_.jitter * (2 * choice.uniform() - 1));
    info.step_size_nom = params_.step_size;
    const std::int64_t gradients = s.flow.grad_evals(), iterations = s.flow.iterations();
    start(x, s, rng);
    const double before = dynamics().energy(s), kept = dynamics().conserved(s);
    const StepFailure failure = travel(s, info);
    info.solver_failed = failure != StepFailure::none;
    info.solver_failure = static_cast<std::int64_t>(failure);
    const double after = info.solver_failed ? infinity : dynamics().energy(s);
    info.energy_error = info.solver_failed ? infinity : dynamics().conserved(s) - kept;
    info.step_accept_prob = probability(-info.energy_error);
    info.accept_prob = probability(before - after);
    info.diverged = !info.solver_failed && !(info.energy_error <= divergence_threshold);
    const bool taken = choice.uniform() < info.accept_prob;
    if (taken) {
      x.swap(s.z.x);
      s.g.swap(s.z.g);
      s.u = s.z.u;
      dynamics().accepted(s);
    }
    info.energy = taken ? after : before;
    info.lp = -s.u;
    info.grad_evals = s.flow.grad_evals() - gradients;
    info.solver_iterations = s.flow.iterations() - iterations;
    return info;
  }

 protected:
  double conserved(const State& s) const { return dynamics().energy(s); }
  void accepted(State&) const {}

  Target* target_;
  std::shared_ptr<Geometry> geometry_;  // of the target or around it; its scratch is as private as the target's
  Params params_;

 private:
  static constexpr double infinity = std::numeric_limits<double>::infinity();

  const Dynamics& dynamics() const { return static_cast<const Dynamics&>(*this); }

  // NaN: the start or the end had no energy, and nothing is accepted.
  static double probability(double log_ratio) {
    return std::isnan(log_ratio) ? 0.0 : std::min(1.0, std::exp(log_ratio));
  }

  void start(const Vec& x, State& s, const Rng& rng) const {
    s.z.x = x;
    s.z.g = s.g;
    s.z.u = s.u;
    locate(s.flow, s.z);
    dynamics().begin(s, rng);
  }

  StepFailure travel(State& s, Info& info) const {
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
};

}  // namespace quasar
