// What all Hamiltonian kernels with trajectories of fixed length share: a fresh start, L leapfrog steps of one size,
// Metropolis.
//
// Orbits of fixed length resonate, so the step size is jittered by a factor uniform in 1 +- jitter. Accepted with
// probability min(1, exp(E0 - E1)). L gradients a step: the first is cached.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

#include "kernels/hmc/hamiltonian.hpp"
#include "kernels/step_stats.hpp"

namespace quasar {

struct TrajectoryParams {
  double step_size = 0.1;
  std::int64_t leapfrog_steps = 0;  // 0: as many as integration_time takes
  double integration_time = 1.5707963267948966;
  double jitter = 0.1;
  bool metropolis = true;         // false: keep every proposal
  std::int64_t max_steps = 1024;  // where leapfrog_steps is 0

  std::int64_t steps() const {
    if (leapfrog_steps > 0) return leapfrog_steps;
    return static_cast<std::int64_t>(
        std::clamp(std::ceil(integration_time / step_size), 1.0, static_cast<double>(max_steps)));
  }
  static void fields(auto& self, auto&& visit) { visit("step_size", self.step_size); }  // the rest is configuration
};

struct TrajectoryInfo : StepInfo {
  double lp = 0, energy = 0, energy_error = 0, int_time = 0, step_size_nom = 0;
  std::int64_t n_steps = 0;
  static void fields(auto& self, auto&& visit) {
    visit("lp", self.lp);
    visit_step_stats(self, visit);
    visit("diverging", self.diverged);
    visit("energy", self.energy);
    visit("energy_error", self.energy_error);
    visit("int_time", self.int_time);
    visit("step_size_nom", self.step_size_nom);
    visit("n_steps", self.n_steps);
  }
};

// Dynamics gives the three things that differ: begin(x, s, rng) puts s.z at x with fresh momentum, move(step, s) is one
// leapfrog step, energy(s) what Metropolis compares; and accept(x, s), where Hamiltonian's is not enough.
template <class Dynamics, class P, class S>
class Trajectory : public Hamiltonian<P, S> {
 public:
  using State = S;
  using Info = TrajectoryInfo;
  using Hamiltonian<P, S>::Hamiltonian;

  double log_accept(double step_size, const Vec& x, State& s, const Rng& rng) const {
    dynamics().begin(x, s, rng);
    const double before = dynamics().energy(s);
    dynamics().move(step_size, s);
    return before - dynamics().energy(s);
  }

  Info step(Vec& x, State& s, const Rng& rng) const {
    Stream choice = rng.stream("choice");
    Info info;
    info.step_size = this->params_.step_size * (1 + this->params_.jitter * (2 * choice.uniform() - 1));
    info.step_size_nom = this->params_.step_size;
    dynamics().begin(x, s, rng);
    const double before = dynamics().energy(s);
    travel(s, info);
    double after = dynamics().energy(s);
    if (std::isnan(after)) after = std::numeric_limits<double>::infinity();  // the gradient was not finite
    info.energy_error = after - before;
    const double log_ratio = before - after;  // NaN: the start had no finite energy, and nothing is accepted
    info.accept_prob = log_ratio == log_ratio ? std::min(1.0, std::exp(log_ratio)) : 0.0;
    info.diverged = !(info.energy_error <= divergence_threshold);
    const bool taken = this->params_.metropolis ? choice.uniform() < info.accept_prob : std::isfinite(after);
    if (taken) dynamics().accept(x, s);
    info.energy = taken ? after : before;
    info.lp = -s.u;
    return info;
  }

 private:
  const Dynamics& dynamics() const { return static_cast<const Dynamics&>(*this); }

  // A point of infinite potential rejects the whole trajectory, so there is no need to go on.
  void travel(State& s, Info& info) const {
    const std::int64_t steps = this->params_.steps();
    while (info.n_steps < steps && std::isfinite(s.z.u)) {
      s.diverged_at = s.z.x;
      dynamics().move(info.step_size, s);
      ++info.n_steps;
    }
    info.grad_evals = info.n_steps;
    info.int_time = info.step_size * static_cast<double>(info.n_steps);
  }
};

}  // namespace quasar
