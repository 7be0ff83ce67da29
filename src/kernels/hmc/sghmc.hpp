// Stochastic gradient Hamiltonian Monte Carlo with friction (Chen, Fox and Guestrin 2014), mass 1:
//
//   x <- x + e r,   r <- r + e grad log pi~(x) - e C r + N(0, 2 e T (C - B)),   B = e V/2,
//
// V the variance of the gradient estimate: given, learned as the chain runs, or taken for 0. With the right B the bias
// is O(e^2). With v = e r, eta = e^2, alpha = e C, beta = e B this is the momentum form of the paper; alpha = 1 is SGLD
// with step eta. T = 0 is gradient descent with momentum.
#pragma once

#include "kernels/hmc/friction.hpp"
#include "kernels/stochastic.hpp"

namespace quasar {

struct SghmcParams : StochasticParams {
  Friction friction;
  enum Noise { given, learned_scalar, learned_diagonal };
  Noise noise = given;
  AnyMatrix noise_variance = Mat::Zero(1, 1);  // V, where it is given
  std::int64_t steps = 1;                      // an iteration
  bool refresh = false;                        // r ~ N(0, T I) at the start of an iteration
  bool hold_batch = false;                     // one batch an iteration, not one a step
};

struct SghmcState : StochasticState {
  Vec r;
  // scratch
  Friction friction;
  AnyMatrix variance;
  bool excess_noise = false;
  Vec noise;

  static void fields(auto& self, auto&& visit) {
    StochasticState::fields(self, visit);
    visit("r", self.r);
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
  using Stochastic::Stochastic;

  State init(const Vec& x, const Rng& rng) const;
  Info step(Vec& x, State& s, const Rng& rng) const;

 private:
  void refresh(State& s, const Rng& rng) const;
  void renew_variance(State& s) const;
};

}  // namespace quasar
