// Hamiltonian Monte Carlo with trajectories of fixed length (Duane et al. 1987; Neal 2011).
//
// v ~ N(0, H); L leapfrog steps of size e; accept with probability min(1, exp(E0 - E1)), E = U + p'v/2. L gradients a
// step: the first is cached. Orbits of fixed length resonate, so e is jittered by a factor uniform in 1 +- jitter.
#pragma once

#include <algorithm>
#include <cmath>

#include "kernels/hmc/hamiltonian.hpp"
#include "kernels/step_stats.hpp"

namespace quasar {

template <Preconditioner P>
struct HmcParams {
  double step_size = 0.1;
  std::int64_t leapfrog_steps = 0;  // 0: as many as integration_time takes
  double integration_time = 1.5707963267948966;
  double jitter = 0.1;
  bool metropolis = true;  // false: keep every proposal; the law is then off by O(e^2)
  P metric = P();
  static constexpr std::int64_t max_steps = 1024;

  std::int64_t steps() const {
    if (leapfrog_steps > 0) return leapfrog_steps;
    return static_cast<std::int64_t>(std::clamp(std::ceil(integration_time / step_size), 1.0, double{max_steps}));
  }
  static void fields(auto& self, auto&& visit) {
    visit("step_size", self.step_size);
    visit("metric", self.metric);
  }
};

template <Preconditioner P>
class Hmc : public Hamiltonian<HmcParams<P>, HamiltonianState> {
 public:
  using State = HamiltonianState;
  using Hamiltonian<HmcParams<P>, State>::Hamiltonian;

  struct Info : StepInfo {
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

  Info step(Vec& x, State& s, const Rng& rng) const {
    Stream choice = rng.stream("choice");
    Info info;
    info.step_size = this->params_.step_size * (1 + this->params_.jitter * (2 * choice.uniform() - 1));
    info.step_size_nom = this->params_.step_size;
    const double before = this->start(x, s, rng);
    travel(s, info);
    const double after = s.z.energy();
    info.energy_error = after - before;
    info.accept_prob = after == after ? std::min(1.0, std::exp(before - after)) : 0.0;
    info.diverged = !(info.energy_error <= divergence_threshold);
    const bool taken = this->params_.metropolis ? choice.uniform() < info.accept_prob : std::isfinite(after);
    if (taken) this->accept(x, s);
    info.energy = taken ? after : before;
    info.lp = -s.u;
    return info;
  }

 private:
  // A point of infinite potential rejects the whole trajectory, so there is no need to go on.
  void travel(State& s, Info& info) const {
    const std::int64_t steps = this->params_.steps();
    while (info.n_steps < steps && std::isfinite(s.z.u)) {
      s.diverged_at = s.z.x;
      leapfrog(*this->target_, this->params_.metric, this->block_, info.step_size, s.z);
      ++info.n_steps;
    }
    info.grad_evals = info.n_steps;
    info.int_time = info.step_size * static_cast<double>(info.n_steps);
  }
};

}  // namespace quasar
