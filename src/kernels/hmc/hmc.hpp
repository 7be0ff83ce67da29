// Hamiltonian Monte Carlo with trajectories of fixed length (Duane et al. 1987; Neal 2011): v ~ N(0, H), leapfrog in
// velocity form, E = U + p'v/2. Without Metropolis the law is off by O(e^2).
#pragma once

#include "kernels/hmc/trajectory.hpp"

namespace quasar {

template <Preconditioner P>
struct HmcParams : TrajectoryParams {
  P metric = P();
  static void fields(auto& self, auto&& visit) {
    TrajectoryParams::fields(self, visit);
    visit("metric", self.metric);
  }
};

template <Preconditioner P>
class Hmc : public Trajectory<Hmc<P>, HmcParams<P>, HamiltonianState> {
  using Base = Trajectory<Hmc<P>, HmcParams<P>, HamiltonianState>;
  friend Base;

 public:
  using State = HamiltonianState;
  using Base::Base;

 private:
  void begin(const Vec& x, State& s, const Rng& rng) const { this->start(x, s, rng); }
  void move(double step, State& s) const { leapfrog(*this->target_, this->params_.metric, this->block_, step, s.z); }
  double energy(const State& s) const { return s.z.energy(); }
};

}  // namespace quasar
