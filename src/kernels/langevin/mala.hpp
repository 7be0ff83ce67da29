// The Metropolis-adjusted Langevin algorithm (Roberts and Tweedie 1996) with preconditioner H:
//
//   x' = x - e H grad U(x) + sqrt(2 e) N(0, H),  accepted by Metropolis-Hastings.
//
// One leapfrog step of size sqrt(2 e) is exactly this proposal, and its energy error exactly the log ratio.
#pragma once

#include <algorithm>
#include <cmath>

#include "kernels/hmc/hamiltonian.hpp"
#include "kernels/step_stats.hpp"

namespace quasar {

template <Preconditioner P>
struct MalaParams {
  double step_size = 0.01;  // the Langevin e
  P metric = P();
  static void fields(auto& self, auto&& visit) {
    visit("step_size", self.step_size);
    visit("metric", self.metric);
  }
};

template <Preconditioner P>
class Mala : public Hamiltonian<MalaParams<P>, HamiltonianState> {
  using Base = Hamiltonian<MalaParams<P>, HamiltonianState>;

 public:
  using State = HamiltonianState;
  using Base::Base;

  struct Info : StepInfo {
    double lp = 0;
    static void fields(auto& self, auto&& visit) {
      visit("lp", self.lp);
      visit_step_stats(self, visit);
      visit("diverging", self.diverged);
    }
  };

  double log_accept(double step_size, const Vec& x, State& s, const Rng& rng) const {
    return Base::log_accept(std::sqrt(2 * step_size), x, s, rng);
  }

  Info step(Vec& x, State& s, const Rng& rng) const {
    const double log_ratio = log_accept(this->params_.step_size, x, s, rng);
    Info info;
    info.step_size = this->params_.step_size;
    info.grad_evals = 1;
    info.accept_prob = log_ratio == log_ratio ? std::min(1.0, std::exp(log_ratio)) : 0.0;
    info.diverged = !(log_ratio >= -divergence_threshold);
    if (info.diverged) s.diverged_at = x;
    if (rng.stream("choice").uniform() < info.accept_prob) this->accept(x, s);
    info.lp = -s.u;
    return info;
  }
};

}  // namespace quasar
