// Hamiltonian Monte Carlo along the orbits of Nose-Poincare dynamics. exp(-H) does not have the posterior as its
// marginal, and h = 0 is kept only up to the error of the integrator: so the offset e = h is a variable of its own,
// with law N(0, d^2). With p ~ N(0, kT M), q ~ N(0, kT Q), s = 1 and H0 such that h = e at the start, a proposal is
// accepted with probability min(1, exp(E0 - E1)),
//
//   E = (U + p'M^-1 p/(2 s^2) + q^2/(2Q)) / kT + (D + 1) log s + h^2/(2 d^2).
//
// The step acts on (x, p/s, q, h) alone, scales volume there by (s'/s)^-(D + 1), and is undone by a flip of (p, q): so
// this is exact, for any g, Q, d and step size. The flow keeps s h, not h: acceptance does not tend to 1 with the step
// size, the step size is learned from what the integrator adds, h' - h/s', and a trajectory has diverged where s h has:
// E may be as large as it likes where s' is small. Nor does a chain that starts far away come down: lowering the energy
// by F takes s' = exp(F/D kT), and that is the price. So warm-up settles first: it starts with h = 0 and pays D log s,
// as if the step kept to h = 0, which holds up to O(e^2).
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

#include "integrators/nose_poincare.hpp"
#include "kernels/hmc/trajectory.hpp"

namespace quasar {

template <Preconditioner P>
struct NpHmcParams : TrajectoryParams {
  P metric = P();
  NosePoincare dynamics;   // its offset is drawn
  double offset_sd = 0.3;  // d
  bool settling = false;   // warm-up: not exact
  static void fields(auto& self, auto&& visit) {
    TrajectoryParams::fields(self, visit);
    visit("metric", self.metric);
    visit("settling", self.settling);
  }
};

struct NpHmcState : HamiltonianState {
  // scratch
  Thermostat bath;
  NosePoincare dynamics;  // with the offset of this trajectory
  double start_h = 0;
  bool too_long = false;  // the last step: nothing was evaluated
};

template <Preconditioner P>
class NpHmc : public Trajectory<NpHmc<P>, NpHmcParams<P>, NpHmcState> {
  using Base = Trajectory<NpHmc<P>, NpHmcParams<P>, NpHmcState>;
  friend Base;

 public:
  using State = NpHmcState;
  struct Info : TrajectoryInfo {
    double step_accept_prob = 0;  // as if the flow itself were always accepted
  };
  using Base::Base;

  Info step(Vec& x, State& s, const Rng& rng) const {
    Info info{Base::step(x, s, rng)};
    const double s_h = std::exp(s.bath.log_s) * h(s);
    info.energy_error = (s_h - s.start_h) / s.dynamics.temperature;
    if (std::isnan(info.energy_error)) info.energy_error = std::numeric_limits<double>::infinity();
    info.diverged = !s.too_long && info.energy_error > divergence_threshold;  // too long: a rejection like any other
    if (s.too_long) --info.grad_evals;
    const double added = (h(s) - s.start_h * std::exp(-s.bath.log_s)) / s.dynamics.temperature;
    info.step_accept_prob = added == added ? std::min(1.0, std::exp(-added)) : 0;
    return info;
  }

 private:
  struct Forces {
    Target& target;
    const P& metric;
    void velocity(In p, double, Out v) const { metric.apply(p, v); }  // there is no friction
    void renew(PhasePoint& z) const { z.u = potential(target, z.x, z.g); }
  };

  void begin(const Vec& x, State& s, const Rng& rng) const {
    this->place(x, s);
    Stream velocity = rng.stream("velocity"), thermostat = rng.stream("thermostat");
    s.dynamics = this->params_.dynamics;
    const double kt = s.dynamics.temperature;
    this->params_.metric.draw(velocity, s.z.v);
    s.z.v *= std::sqrt(kt);
    this->params_.metric.solve(s.z.v, s.z.p);
    s.bath = {0, std::sqrt(kt * s.dynamics.thermostat_mass) * thermostat.normal()};
    s.start_h = this->params_.settling ? 0 : this->params_.offset_sd * thermostat.normal();
    s.too_long = false;
    s.dynamics.offset = 0;
    s.dynamics.offset = h(s) - s.start_h;
  }

  void move(double step, State& s) const {
    const Forces forces{*this->target_, this->params_.metric};
    s.too_long = !nose_poincare_step(s.dynamics, forces, this->block_, step, s.z, s.bath);
    if (s.too_long) s.z.u = std::numeric_limits<double>::infinity();
  }

  double twice_kinetic(const State& s) const { return s.z.p.dot(s.z.v) * std::exp(-2 * s.bath.log_s); }
  double h(const State& s) const { return s.dynamics.energy(s.z.u, twice_kinetic(s), s.bath) - s.dynamics.offset; }

  double energy(State& s) const {
    this->params_.metric.apply(s.z.p, s.z.v);
    const double off = h(s) / this->params_.offset_sd, dim = static_cast<double>(this->block_.size);
    const double physical = s.z.u + 0.5 * twice_kinetic(s) + s.bath.q * s.bath.q / (2 * s.dynamics.thermostat_mass);
    const double canonical = physical / s.dynamics.temperature + dim * s.bath.log_s;
    return this->params_.settling ? canonical : canonical + s.bath.log_s + 0.5 * off * off;
  }
};

}  // namespace quasar
