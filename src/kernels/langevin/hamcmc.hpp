// HAMCMC: Hessian-approximated MCMC (Simsekli, Badeau, Cemgil and Richard 2016), Langevin steps preconditioned by
// L-BFGS in linear time.
//
// M members take turns. A step moves one of them,
//
//   x <- x + e H grad log pi~(x) + sqrt(2 e T) N(0, H),
//
// and H is the L-BFGS matrix of the M - 1 pairs that the other members have left behind, y + shift s standing for y.
// What pair a member leaves decides the law:
//   random   s isotropic at the point it came from: H depends on the positions of the others alone, and the product of
//            M posteriors is invariant as e -> 0;
//   printed  s the move itself: H depends on the directions of the others' moves, these on the H they were made with,
//            that one on this member's own curvature. The bias does not vanish with e for D >= 2 unless U is quadratic.
// Frozen after warm-up, H is constant and either kind is right as e -> 0.
#pragma once

#include <vector>

#include "kernels/stochastic.hpp"
#include "metrics/lbfgs.hpp"

namespace quasar {

struct HamcmcParams : StochasticParams {
  enum Pairs { random, printed };
  std::int64_t memory = 3;  // M
  Pairs pairs = random;
  double initial_scale = 0;  // gamma, where L-BFGS starts; 0: s'y / y'y of the newest pair
  double shift = 0;          // lambda: y <- y + lambda s
  double min_curvature = exact_curvature;
  bool frozen = false;
  static void fields(auto& self, auto&& visit) {
    StochasticParams::fields(self, visit);
    visit("frozen", self.frozen);
  }
};

struct HamcmcState : StochasticState {
  Mat positions;             // one member per column
  std::int64_t turn = 0;     // the member to move next
  Lbfgs h;                   // of the others
  double first_scale = 1;    // gamma where none of the others has left a usable pair
  std::int64_t history = 0;  // bit j: the pair of j steps ago is in h
  // scratch
  Vec displaced, displaced_grad, drift, move, pair_s, pair_y;

  static void fields(auto& self, auto&& visit) {
    StochasticState::fields(self, visit);
    visit("positions", self.positions);
    visit("turn", self.turn);
    visit("h", self.h);
    visit("first_scale", self.first_scale);
    visit("history", self.history);
  }
};

class Hamcmc : public Stochastic<HamcmcParams, HamcmcState> {
 public:
  static constexpr std::int64_t most_members = 62;  // bits of history

  struct Info : StochasticInfo {
    std::int64_t pairs = 0;          // that H was made of
    std::int64_t refused_pairs = 0;  // so far: too little or negative curvature
    static void fields(auto& self, auto&& visit) {
      StochasticInfo::fields(self, visit);
      visit("pairs", self.pairs);
      visit("refused_pairs", self.refused_pairs);
    }
  };

  using Stochastic::Stochastic;

  int members() const { return static_cast<int>(params_.memory); }
  State init(const Vec& x, const Rng& rng) const;
  State init(const std::vector<Vec>& points, const Rng& rng) const;
  void rebase(const Vec& x, State& s) const;          // x is the member that was moved last
  Info step(Vec& x, State& s, const Rng& rng) const;  // x becomes the member that was moved

 private:
  double scale(const State& s) const;  // gamma
  double pair_length(const State& s) const;
  void leave_random_pair(const Vec& x, State& s, const Rng& rng) const;
  void leave_pair(const Vec& displaced, State& s) const;
  bool falls_out(const State& s) const;

  auto own_columns(const State& s) const { return s.positions.middleRows(block_.begin, block_.size); }
};

}  // namespace quasar
