// Hamiltonian Monte Carlo along the orbits of a Nose-Hoover thermostat in real variables: p ~ N(0, kT M),
// q ~ N(0, kT Q), L steps, accepted with probability min(1, exp(E0 - E1)),
//
//   E = (U + p'M^-1 p/2 + q^2/(2Q)) / kT + D log s,
//
// the last term the change of volume. Acceptance tends to 1 with the step size, whatever Q is.
#pragma once

#include <cmath>

#include "integrators/nose_hoover.hpp"
#include "kernels/hmc/trajectory.hpp"

namespace quasar {

template <Preconditioner P>
struct NhHmcParams : TrajectoryParams {
  P metric = P();
  NoseHoover thermostat;
  static void fields(auto& self, auto&& visit) {
    TrajectoryParams::fields(self, visit);
    visit("metric", self.metric);
  }
};

struct NhHmcState : HamiltonianState {
  Thermostat bath;  // scratch
};

template <Preconditioner P>
class NhHmc : public Trajectory<NhHmc<P>, NhHmcParams<P>, NhHmcState> {
  using Base = Trajectory<NhHmc<P>, NhHmcParams<P>, NhHmcState>;
  friend Base;

 public:
  using State = NhHmcState;
  using Base::Base;

 private:
  const NoseHoover& thermostat() const { return this->params_.thermostat; }

  void begin(const Vec& x, State& s, const Rng& rng) const {
    this->start(x, s, rng);
    const double kt = thermostat().temperature;
    s.z.p *= std::sqrt(kt);
    s.z.v *= std::sqrt(kt);
    s.bath = {0, std::sqrt(kt * thermostat().thermostat_mass) * rng.stream("thermostat").normal()};
  }

  void move(double step, State& s) const {
    nose_hoover_step(thermostat(), *this->target_, this->params_.metric, this->block_, step, s.z, s.bath);
  }

  double energy(const State& s) const {
    return (s.z.energy() + thermostat().energy(s.bath)) / thermostat().temperature +
           static_cast<double>(this->block_.size) * s.bath.log_s;
  }
};

}  // namespace quasar
