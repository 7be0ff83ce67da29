// Langevin steps preconditioned by L-BFGS on the chain's own past: what one must not do.
//
//   x <- x + e H grad log pi~(x) + sqrt(2 e T) N(0, H),   H from the last M - 1 moves of this chain.
//
// H follows x and nothing supplies its divergence, so the law is exp(-U)/H for ever, in one dimension exp(-U) times the
// curvature, however small e is.
#pragma once

#include "kernels/langevin/euler.hpp"
#include "kernels/stochastic.hpp"
#include "metrics/lbfgs.hpp"

namespace quasar {

struct QnLangevinNaiveParams : StochasticParams {
  std::int64_t memory = 3;   // M points, M - 1 pairs
  double initial_scale = 0;  // gamma; 0: s'y / y'y of the newest pair
  double shift = 0;          // lambda: y <- y + lambda s
  double min_curvature = exact_curvature;
};

struct QnLangevinNaiveState : StochasticState {
  Lbfgs h;
  // scratch
  Vec before, displaced_grad, drift, move, pair_s, pair_y;

  static void fields(auto& self, auto&& visit) {
    StochasticState::fields(self, visit);
    visit("h", self.h);
  }
};

class QnLangevinNaive : public Stochastic<QnLangevinNaiveParams, QnLangevinNaiveState> {
 public:
  using Info = StochasticInfo;
  using Stochastic::Stochastic;

  State init(const Vec& x, const Rng& rng) const {
    State s;
    start(x, s, rng);
    s.h = Lbfgs(block_.size, params_.memory - 1);
    if (params_.initial_scale > 0) s.h.set_initial_scale(params_.initial_scale);
    s.before = s.displaced_grad = Vec::Zero(x.size());
    s.drift = s.move = s.pair_s = s.pair_y = Vec::Zero(block_.size);
    return s;
  }

  Info step(Vec& x, State& s, const Rng& rng) const {
    next_step_size(s);
    fresh_gradient(x, s);
    if (params_.initial_scale == 0 && s.h.pairs() > 0) s.h.set_initial_scale(s.h.newest_scale());
    preconditioned_move(s.h, s.step_size, langevin_spread(s.step_size, params_.temperature), own(s.grad),
                        rng.stream("noise"), s.drift, s.move);
    s.before = x;
    own(x) += s.move;
    into_support(x);
    if (estimator_.gradient(s.estimate, x, s.displaced_grad).ok) {
      s.pair_s = own(x) - own(s.before);
      s.pair_y = own(s.grad) - own(s.displaced_grad) + params_.shift * s.pair_s;
      s.h.add_pair(s.pair_s, s.pair_y, params_.min_curvature);
    }
    return report<Info>(s);
  }
};

}  // namespace quasar
