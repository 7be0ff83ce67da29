// Preconditioned SGLD (Li et al. 2016): H = diag 1/(lambda + sqrt(v)) with v a running mean of squared gradients,
//
//   x <- x + e (H grad log pi~ + G) + sqrt(2 e T) N(0, H),   v <- a v + (1 - a) m^2,
//
// m the mean over data of the likelihood's gradient. H depends on x through v, so the law without the divergence
// G_i = dH_ii/dx_i is exp(-U)/H where v follows x quickly (e << 1 - a), and exp(-U) where it hardly moves (1 - a << e).
// T = 0 without G is RMSprop.
#pragma once

#include <cmath>

#include "kernels/langevin/euler.hpp"
#include "kernels/stochastic.hpp"

namespace quasar {

struct PsgldParams : StochasticParams {
  enum Correction {
    none,
    full,  // as if v = m(x)^2
    ema,   // the derivative of the newest term of v alone: 1 - a times as much, which does not mend the law
  };
  double averaging = 0.99;       // a
  double regularization = 1e-3;  // lambda
  bool update_first = false;     // v before H is made of it, or after the move
  Correction correction = none;
};

struct PsgldState : StochasticState {
  Vec v;
  // scratch
  Vec mean, h, slope, probe;

  static void fields(auto& self, auto&& visit) {
    StochasticState::fields(self, visit);
    visit("v", self.v);
  }
};

class Psgld : public Stochastic<PsgldParams, PsgldState> {
 public:
  using Info = StochasticInfo;
  using Stochastic::Stochastic;

  State init(const Vec& x, const Rng& rng) const;
  Info step(Vec& x, State& s, const Rng& rng) const;

 private:
  void gradient_and_mean(const Vec& x, State& s) const;
  void update_average(State& s) const;
  void add_correction(const Vec& x, State& s) const;
};

}  // namespace quasar
