// The Riemannian Nose-Poincare sampler on estimated gradients held on h = 0, that is in real variables: a Nose-Hoover
// thermostat around Riemannian Langevin dynamics. H0 and the energy drop out. With E = U + p'G^-1 p/2 + (T/2) log|G|,
//
//   dx = G^-1 p dt,   dp = -dE/dx dt - (q/Q + c) p dt + sqrt(2 c T) dW,  Var dW = G dt,   dq = (p'G^-1 p - D T) dt
//
// keeps exp(-(E + q^2/(2Q))/T), whose marginal is the posterior: friction c G v and noise 2 c T G belong together, and
// what q does to p, D q/Q in the flow's divergence, is what p'G^-1 p - D T does to q. One step is symmetric but for the
// batch: half a step of the thermostat, half a step of friction and noise (G does not change in either, so both are
// exact), a generalised leapfrog step, and the two again in the reverse order.
//
// Noise of the gradient of variance v G is what a scalar thermostat can take up, q/Q settling at e v/2, and minibatches
// on the Fisher metric have about that: v = N/n. So q must not be refreshed. noise_ratio is the v that is taken off the
// noise at once.
#pragma once

#include "integrators/generalized_leapfrog.hpp"
#include "integrators/nose_hoover.hpp"
#include "kernels/thermostat/riemannian_stochastic.hpp"

namespace quasar {

struct SgrNphmcCanonicalParams : RiemannianStochasticParams {
  double friction = 1;     // c
  NoseHoover thermostat;   // T and Q
  double noise_ratio = 0;  // v
};

struct SgrNphmcCanonicalState : RiemannianStochasticState<GeneralizedLeapfrog> {
  Vec p;
  Thermostat bath;
  // scratch
  Vec noise;

  static void fields(auto& self, auto&& visit) {
    RiemannianStochasticState::fields(self, visit);
    visit("grad", self.grad);
    visit("p", self.p);
    visit("q", self.bath.q);
  }
};

class SgrNphmcCanonical : public RiemannianStochastic<SgrNphmcCanonicalParams, SgrNphmcCanonicalState> {
 public:
  using RiemannianStochastic::RiemannianStochastic;

  State init(const Vec& x, const Rng& rng) const;
  void rebase(const Vec& x, State& s) const;
  Info step(Vec& x, State& s, const Rng& rng) const;

 private:
  static void place(const Vec& x, State& s);  // s.z at x, with the gradient that is known there
  void push(State& s) const;                  // half a step of q
  void damp(State& s) const;                  // half a step of its friction
  void mix(Stream& normals, State& s) const;  // half a step of friction and noise
};

}  // namespace quasar
