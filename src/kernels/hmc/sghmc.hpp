// Stochastic gradient Hamiltonian Monte Carlo with friction (Chen, Fox and Guestrin 2014), with a mass M:
//
//   x <- x + e M^-1 p,   p <- p + e grad log pi~(x) - e C M^-1 p + N(0, 2 e T (C - B)),   B = e V/2,
//
// whose noise belongs to C alone. V the variance of the gradient estimate: given, learned as the chain runs, or taken
// for 0. With the right B the bias is O(e^2). With M = 1, v = e p, eta = e^2, alpha = e C, beta = e B this is the
// momentum form of the paper; alpha = 1 is SGLD with step eta. T = 0 is gradient descent with momentum.
#pragma once

#include "kernels/hmc/friction.hpp"
#include "kernels/stochastic.hpp"

namespace quasar {

struct SghmcParams : StochasticParams {
  MassMatrix mass;  // empty: the identity
  Friction friction;
  enum Noise { given, learned_scalar, learned_diagonal };
  Noise noise = given;
  AnyMatrix noise_variance = Mat::Zero(1, 1);  // V, where it is given
  std::int64_t steps = 1;                      // an iteration
  bool refresh = false;                        // p ~ N(0, T M) at the start of an iteration
  bool hold_batch = false;                     // one batch an iteration, not one a step
  bool momentum_first = false;                 // p moves before x, which changes the law only where p is refreshed

  static void fields(auto& self, auto&& visit) {
    StochasticParams::fields(self, visit);
    visit("mass", self.mass);
  }
};

struct SghmcState : StochasticState {
  Vec p;
  Friction friction;
  // scratch
  AnyMatrix variance;
  bool excess_noise = false;
  Vec noise, velocity;

  static void fields(auto& self, auto&& visit) {
    StochasticState::fields(self, visit);
    visit("p", self.p);
    visit("friction", self.friction);
  }
};

class Sghmc : public Stochastic<SghmcParams, SghmcState> {
 public:
  struct Info : StochasticInfo {
    double noise_variance = 0;  // V, the mean over coordinates, as it was used
    bool excess_noise = false;  // B > C somewhere: no noise was added there, and what the gradient has is too much
    static void fields(auto& self, auto&& visit) {
      StochasticInfo::fields(self, visit);
      visit("noise_variance", self.noise_variance);
      visit("excess_noise", self.excess_noise);
    }
  };
  Sghmc(Target& target, Block block, EstimatorSettings estimator, Params params);

  State init(const Vec& x, const Rng& rng) const;
  Info step(Vec& x, State& s, const Rng& rng) const;

 private:
  void drift(Vec& x, State& s) const;
  void kick(const Vec& x, State& s, Stream& normals) const;
  void refresh(State& s, const Rng& rng) const;
  void renew_variance(State& s) const;
};

}  // namespace quasar
