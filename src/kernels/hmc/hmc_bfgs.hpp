// HMC-BFGS: ensemble chain adaptation (Zhang and Sutton 2011).
//
// K members, each with its own position. A step moves one of them by HMC whose inverse mass is the L-BFGS matrix of the
// others: pairs of consecutive positions among k+1, k+2, ... in this order, K - 2 at most. H depends on the others
// alone, so the product of K posteriors is invariant, exactly and for any target, although H never stops to adapt.
#pragma once

#include "kernels/hmc/hmc.hpp"
#include "metrics/lbfgs.hpp"

namespace quasar {

struct EnsembleState {
  Mat positions, gradients;  // one member per column; gradients of U
  Vec potentials;
  std::int64_t turn = 0;  // the member to move next
  Vec g;                  // the gradient of the member moved last
  // scratch
  HamiltonianState member;
  Hmc<Lbfgs> hmc;
  Vec s, y, diverged_at;

  static void fields(auto& self, auto&& visit) {
    visit("positions", self.positions);
    visit("gradients", self.gradients);
    visit("potentials", self.potentials);
    visit("turn", self.turn);
    visit("g", self.g);
  }
};

struct EnsembleParams : TrajectoryParams {
  std::int64_t members = 5;
};

class HmcBfgs {
 public:
  using Params = EnsembleParams;
  using State = EnsembleState;

  struct Info : TrajectoryInfo {
    std::int64_t pairs = 0;  // that H was made of
    static void fields(auto& self, auto&& visit) {
      TrajectoryInfo::fields(self, visit);
      visit("pairs", self.pairs);
    }
  };

  HmcBfgs(Target& target, Block block, Params params) : target_(&target), block_(block), params_(params) {}

  Params& params() { return params_; }
  const Params& params() const { return params_; }
  int members() const { return static_cast<int>(params_.members); }

  State init(const Vec& x, const Rng& rng) const;                    // all members at x
  State init(const std::vector<Vec>& points, const Rng& rng) const;  // one member at each
  void rebase(const Vec& x, State& s) const;
  double potential_at(In x, Out gradient) const { return potential(*target_, x, gradient); }
  double log_accept(double step_size, const Vec& x, State& s, const Rng& rng) const;
  Info step(Vec& x, State& s, const Rng& rng) const;  // x becomes the member that was moved

 private:
  void take_turn(State& s) const;

  Target* target_;
  Block block_;
  Params params_;
};

}  // namespace quasar
