// Riemannian Nose-Poincare Hamiltonian Monte Carlo: trajectories of the extended energy H = s h, and Metropolis.
//
// exp(-H) has not the law of x that one wants, and where H0 makes h = 0 at the start of every trajectory it is not
// quite 0 at the end, so that neither a test by exp(-H) nor one by exp(-h) is right. Two schemes, E being h + H0:
//
//   offset    the energy has an offset e ~ N(0, d^2): s = 1, p ~ N(0, T G), q ~ N(0, T Q_G), H0 = E - e. The map of
//             (x, p/s, q, e) has the Jacobian s'^-(D+1) and is its own inverse when p and q turn round, so that
//             log(ratio) = -(e' - e)/T + (g - D - 1) log s' - (e'^2 - e^2)/(2 d^2) leaves exp(-U/T) invariant, exactly.
//             Even exact flow is not always accepted: it ends with e' = e/s', and a chain that starts far away would
//             not come down, since lowering the energy by F takes s' = exp(F/(g T)). So warm-up settles first: with
//             e = 0 and D log s' instead of (D + 1) log s', as if the steps kept to h = 0, which holds up to O(e^2).
//   printed   s is carried from one trajectory to the next, H0 stays what made h = 0 at the first, the ratio is
//             exp(H - H'), as published (Roychowdhury, Kulis and Parthasarathy 2016): a wrong law.
#pragma once

#include "integrators/riemannian_nose_poincare.hpp"
#include "kernels/hmc/implicit_trajectory.hpp"

namespace quasar {

struct RnpHmcParams : ImplicitTrajectoryParams {
  RiemannianThermostat thermostat = {};
  enum Scheme { offset, printed };
  Scheme scheme = offset;
  double offset_sd = 0.3;  // d
  bool settling = false;   // warm-up: not exact
  static void fields(auto& self, auto&& visit) {
    ImplicitTrajectoryParams::fields(self, visit);
    visit("settling", self.settling);
  }
};

struct RnpHmcState : ImplicitTrajectoryState<RiemannianNosePoincare> {
  // Of the printed scheme.
  bool begun = false;               // whether H0 is known
  double log_s = 0, reference = 0;  // s, H0
  static void fields(auto& self, auto&& visit) {
    ImplicitTrajectoryState::fields(self, visit);
    visit("begun", self.begun);
    visit("log_s", self.log_s);
    visit("reference", self.reference);
  }
};

class RnpHmc : public ImplicitTrajectory<RnpHmc, RnpHmcParams, RiemannianNosePoincare, RnpHmcState> {
  using Base = ImplicitTrajectory<RnpHmc, RnpHmcParams, RiemannianNosePoincare, RnpHmcState>;
  friend Base;

 public:
  using Base::Base;
  Info step(Vec& x, State& s, const Rng& rng) const;

 private:
  RiemannianNosePoincare flow() const { return {*target_, *geometry_, params_.solver, params_.thermostat}; }
  void begin(State& s, const Rng& rng) const;
  double energy(const State& s) const;
  double conserved(const State& s) const { return s.flow.hamiltonian(s.z) / params_.thermostat.temperature; }
  static void accepted(State& s) { s.log_s = s.z.log_s; }
};

}  // namespace quasar
