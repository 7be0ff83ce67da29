// Stochastic gradient Langevin dynamics (Welling and Teh 2011; their e is twice ours):
//
//   x <- x + e grad log pi~(x) + sqrt(2 e T) z,   z ~ N(0, I).
//
// Without gradient noise the bias is O(e); a gradient estimate of variance V adds (e/2) V-like inflation. T = 0 is
// stochastic gradient descent.
#pragma once

#include "kernels/langevin/euler.hpp"
#include "kernels/stochastic.hpp"

namespace quasar {

class Sgld : public Stochastic<StochasticParams, StochasticState> {
 public:
  using Info = StochasticInfo;
  using Stochastic::Stochastic;

  State init(const Vec& x, const Rng& rng) const {
    State s;
    start(x, s, rng);
    return s;
  }

  Info step(Vec& x, State& s, const Rng& rng) const {
    next_step_size(s);
    fresh_gradient(x, s);
    euler_move(s.step_size, langevin_spread(s.step_size, params_.temperature), own(s.grad), rng.stream("noise"),
               own(x));
    into_support(x);
    return report<Info>(s);
  }
};

}  // namespace quasar
