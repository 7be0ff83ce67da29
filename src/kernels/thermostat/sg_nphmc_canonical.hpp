// The Nose-Poincare sampler on estimated gradients held on h = 0, that is in real variables: a Nose-Hoover thermostat
// around Langevin dynamics of friction rate g. H0 and the energy drop out. One step, symmetric but for the batch:
//
//   q += (e/2)(p'M^-1 p - D T),  p *= exp(-e q/2Q),  p += (e/2) grad,  x += (e/2) M^-1 p,
//   p <- exp(-g e) p + N(0, max(0, T M (1 - exp(-2 g e)) - e^2 V)),
//   x += (e/2) M^-1 p,  grad = that of log pi~ at x on a new batch,  p += (e/2) grad,  p *= exp(-e q/2Q),  q += ...
//
// V: what is believed of the variance of the gradient. What is not believed (or does not fit) the thermostat takes up,
// q/Q settling at e v/2 where V = v M in truth: so q must not be refreshed unless V is known. The bias is O(e).
#pragma once

#include "integrators/nose_hoover.hpp"
#include "kernels/believed_noise.hpp"
#include "kernels/stochastic.hpp"
#include "metrics/mass_matrix.hpp"

namespace quasar {

struct SgNphmcCanonicalParams : StochasticParams {
  MassMatrix mass;                  // M; of no dimension: the identity. A dense one goes with V = 0
  double thermostat_mass = 1;       // Q
  double friction = 1;              // g
  BelievedNoise noise;              // V
  std::int64_t leapfrog_steps = 1;  // an iteration
  bool thermostat = true;           // false: q = 0
  bool refresh = false;             // p ~ N(0, T M), q ~ N(0, T Q) at the start of an iteration
  bool hold_batch = false;          // one batch an iteration, not one a step

  static void fields(auto& self, auto&& visit) {
    StochasticParams::fields(self, visit);
    visit("friction", self.friction);
    visit("mass", self.mass);
  }
};

struct SgNphmcCanonicalState : StochasticState {
  Vec p;
  Thermostat bath;
  // scratch
  Vec v, noise, variance;

  static void fields(auto& self, auto&& visit) {
    StochasticState::fields(self, visit);
    visit("grad", self.grad);
    visit("p", self.p);
    visit("q", self.bath.q);
  }
};

class SgNphmcCanonical : public Stochastic<SgNphmcCanonicalParams, SgNphmcCanonicalState> {
 public:
  struct Info : StochasticInfo {
    double thermostat = 0;  // q/Q
    static void fields(auto& self, auto&& visit) {
      StochasticInfo::fields(self, visit);
      visit("thermostat", self.thermostat);
    }
  };
  SgNphmcCanonical(Target& target, Block block, EstimatorSettings estimator, Params params);

  State init(const Vec& x, const Rng& rng) const;
  void rebase(const Vec& x, State& s) const { gradient(x, s, s.grad); }
  Info step(Vec& x, State& s, const Rng& rng) const;

 private:
  NoseHoover nose_hoover() const { return {params_.temperature, params_.thermostat_mass}; }
  void refresh(State& s, const Rng& rng) const;
  double twice_kinetic(State& s) const;
  // From the first kick to the second drift.
  void travel(double damping, Stream& normals, Vec& x, State& s) const;
  double kick(double damping, State& s) const;  // the second kick, damped; returns twice the kinetic energy
};

}  // namespace quasar
