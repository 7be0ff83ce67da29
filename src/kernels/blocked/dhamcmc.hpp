// HAMCMC (Simsekli, Badeau, Cemgil and Richard 2016) on blocks: see kernels/langevin/hamcmc.hpp for the law and for
// what the two kinds of pairs mean.
//
// A piece carries M positions and M - 1 pairs (s, y). H g and a draw of N(0, H) are combinations of g, z and the pairs
// with coefficients that come from dot products alone (metrics/lbfgs_coefficients.hpp), so that one sum over the ranks
// a step is all that the blocks need of each other: S'g, Y'g, Y'z and, of the newest pair, s'y, y's, y'y with every
// pair and s's: 6 m numbers for m = M - 1 pairs, 3 m once H is frozen. Whether the newest pair is usable is therefore
// known with the sum of the next step, which is when it is first needed.
//
// A step takes two gradients on the same part (one when frozen) and 8 m multiplications a number (5 m) for dot products
// and combinations. Where the part changes every block of items is one message of M + 2 (M - 1) arrays.
#pragma once

#include <vector>

#include "kernels/blocked/block_sums.hpp"
#include "kernels/blocked/blocked_work.hpp"
#include "metrics/curvature_pair.hpp"
#include "metrics/lbfgs_coefficients.hpp"

namespace quasar {

struct DhamcmcParams : BlockedParams {
  enum Pairs { random, printed };
  std::int64_t memory = 3;  // M
  Pairs pairs = random;
  double initial_scale = 0;  // gamma, where L-BFGS starts; 0: s'y / y'y of the newest pair
  double shift = 0;          // lambda: y <- y + lambda s
  double min_curvature = exact_curvature;
  double min_alignment = 0;  // cos^2 of the angle between s and y: with gamma = s'y/y'y, H has 2 gamma / cos^2 along s
  bool freeze = true;        // after warm-up
  bool frozen = false;
  static void fields(auto& self, auto&& visit) {
    BlockedParams::fields(self, visit);
    visit("frozen", self.frozen);
  }
};

class Dhamcmc {
 public:
  using Params = DhamcmcParams;
  static constexpr std::int64_t most_members = 62;  // bits of usable_

  struct Info : BlockedInfo {
    std::int64_t pairs = 0;          // that H was made of
    std::int64_t refused_pairs = 0;  // so far: too little or negative curvature, or y far off s
    static void fields(auto& self, auto&& visit) {
      BlockedInfo::fields(self, visit);
      visit("pairs", self.pairs);
      visit("refused_pairs", self.refused_pairs);
    }
  };

  explicit Dhamcmc(const Params& params);
  Params& params() { return params_; }
  const Params& params() const { return params_; }

  int members() const { return static_cast<int>(params_.memory); }
  Index arrays() const { return params_.memory + 2 * slots(); }  // positions, then s, then y of each slot
  double step_curvature(double step) const { return step * h_.largest() * params_.row_curvature; }

  std::int64_t start(BlockedWork& work, const Rng& names);
  Info step(BlockedWork& work, int member, const BlockedStep& step);
  void end_warmup() { params_.frozen = params_.freeze; }

  static void fields(auto& self, auto&& visit) {
    visit("next", self.next_);
    visit("usable", self.usable_);
    visit("undecided", self.undecided_);
    visit("refused", self.refused_);
    visit("h", self.h_);
    visit("newest_scale", self.newest_scale_);
    visit("first_scale", self.first_scale_);
  }

 private:
  struct Scratch {  // of one block, for as long as a step
    Vec gradient;
    Vec move;  // first its noise
  };

  Index slots() const { return params_.memory - 1; }
  Index newest() const { return (next_ + slots() - 1) % slots(); }
  bool is_usable(Index slot) const { return (usable_ >> slot & 1) != 0; }
  Eigen::Map<Vec> s(const Piece& piece, Index slot) const { return piece.array(params_.memory + slot); }
  Eigen::Map<Vec> y(const Piece& piece, Index slot) const { return piece.array(params_.memory + slots() + slot); }
  double scale() const;  // gamma
  Eigen::Map<Vec> gradient_of(const Piece& piece, Index b) { return of(piece, b, &Scratch::gradient); }
  Eigen::Map<Vec> move_of(const Piece& piece, Index b) { return of(piece, b, &Scratch::move); }
  Eigen::Map<Vec> of(const Piece& piece, Index b, Vec Scratch::*which);

  void allocate(const BlockedWork& work);
  void take_gradient(BlockedWork& work, Index b, int member);
  void draw_noise(BlockedWork& work, Index b, const BlockedStep& step);
  void add_products(const Piece& piece, Index b, Out sums);
  void add_products_of_newest(const Piece& piece, Out sums) const;
  void decide_on_newest(In sums);
  void add_newest(In sums, const PairProducts& products);
  void find_coefficients(In sums, const BlockedStep& step);
  void make_move(const Piece& piece, Index b, const BlockedStep& step);
  void move_and_learn(BlockedWork& work, Index b, int member, const BlockedStep& step);
  void draw_pair(const Piece& piece, const Rng& names, double length) const;
  void leave_pair(BlockedWork& work, Index b, int member);
  void replace_oldest();
  void order_usable();

  Params params_;
  Index next_ = 0;            // slot of the oldest pair, which the next one takes
  std::int64_t usable_ = 0;   // bit j: the pair in slot j is in h
  bool undecided_ = false;    // the newest pair may be usable
  std::int64_t refused_ = 0;  // pairs so far
  LbfgsCoefficients h_;
  double newest_scale_ = 1;  // s'y / y'y of the newest usable pair
  double first_scale_ = 1;   // gamma where there is none
  // scratch
  Index first_block_ = 0;
  std::vector<Scratch> users_, items_;
  Vec user_point_, item_point_;
  BlockSums sums_;
  std::vector<Index> order_;             // usable slots, oldest first
  Vec sg_, yg_, yz_, zeta_, a_, b_, c_;  // by that order
};

}  // namespace quasar
