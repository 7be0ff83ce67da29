// Preconditioned SGLD (Li et al. 2016) on blocks: psgld whose minibatch is a part of the ratings,
//
//   x <- x + e H grad log pi~(x) + sqrt(2 e T) N(0, H),   H = diag 1/(lambda + sqrt(v)),   v <- a v + (1 - a) m^2,
//
// m the mean over all ratings of the likelihood's gradient. H is diagonal, so that blocks need nothing of each other;
// what moves of the items is x and v. Its law without the divergence of H: see kernels/langevin/psgld.hpp.
#pragma once

#include "kernels/blocked/block_moves.hpp"

namespace quasar {

struct DpsgldParams : BlockedParams {
  double averaging = 0.99;       // a
  double regularization = 1e-3;  // lambda
  bool update_first = false;     // v before H is made of it, or after the move
};

class Dpsgld {
 public:
  using Params = DpsgldParams;
  using Info = BlockedInfo;

  explicit Dpsgld(const Params& params) : params_(params) {}
  Params& params() { return params_; }
  const Params& params() const { return params_; }

  static int members() { return 1; }
  static Index arrays() { return 2; }  // x, v
  double step_curvature(double step) const { return step * params_.row_curvature / params_.regularization; }

  std::int64_t start(BlockedWork& work, const Rng& names) const;
  Info step(BlockedWork& work, int member, const BlockedStep& step) const;

  void before(const Piece&, const BlockedStep&) const {}
  double move(const BlockedWork& work, const Piece& piece, Out g, const BlockedStep& step) const;

  void end_warmup() const {}
  static void fields(auto&, auto&&) {}

 private:
  Params params_;
};

}  // namespace quasar
