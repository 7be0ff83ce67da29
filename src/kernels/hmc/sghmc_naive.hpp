// HMC with estimated gradients and nothing to make up for their noise: the baseline of Chen, Fox and Guestrin (2014).
//
// Without a Metropolis test the energy grows by e^2 V/2 a step and the law is too wide. With the test, on the full
// density, it is exact: the batches of a trajectory do not depend on the state, and their reversed sequence is as
// likely. It then costs two passes over all data a trajectory, and rejects the more the noisier the gradients are.
#pragma once

#include "kernels/stochastic.hpp"

namespace quasar {

struct SghmcNaiveParams : StochasticParams {
  std::int64_t leapfrog_steps = 10;
  bool metropolis = false;
  enum Batch {
    per_half_kick,   // the two half kicks at a point have a batch each
    per_gradient,    // they share one
    per_trajectory,  // all share one
  };
  Batch batch = per_gradient;
};

struct SghmcNaiveState : StochasticState {
  // scratch
  Vec r, proposed, full_grad;
};

class SghmcNaive : public Stochastic<SghmcNaiveParams, SghmcNaiveState> {
 public:
  struct Info : StochasticInfo {
    static void fields(auto& self, auto&& visit) {
      visit("acceptance_rate", self.accept_prob);
      StochasticInfo::fields(self, visit);
    }
  };
  using Stochastic::Stochastic;

  State init(const Vec& x, const Rng& rng) const;
  Info step(Vec& x, State& s, const Rng& rng) const;

 private:
  bool trajectory(State& s) const;           // false: it has left where the density is positive
  bool kick(State& s, double weight) const;  // likewise
  double energy(const Vec& x, State& s) const;
};

}  // namespace quasar
