// Distributed stochastic gradient Langevin dynamics on blocks (Ahn et al. 2015; Simsekli et al. 2016): sgld whose
// minibatch is a part of the ratings,
//
//   x <- x + e grad log pi~(x) + sqrt(2 e T) z,   z ~ N(0, I).
//
// A step takes 3 K multiplications for each rating of the part and K normals for each row. Where the part changes every
// block of items is one message, K numbers for each item.
#pragma once

#include "kernels/blocked/block_moves.hpp"
#include "kernels/langevin/euler.hpp"

namespace quasar {

class Dsgld {
 public:
  using Params = BlockedParams;
  using Info = BlockedInfo;

  explicit Dsgld(const Params& params) : params_(params) {}
  Params& params() { return params_; }
  const Params& params() const { return params_; }

  static int members() { return 1; }
  static Index arrays() { return 1; }  // x
  double step_curvature(double step) const { return step * params_.row_curvature; }

  std::int64_t start(BlockedWork&, const Rng&) const { return 0; }  // returns how many gradients were taken

  Info step(BlockedWork& work, int, const BlockedStep& step) const {
    Info info;
    info.grad_evals = move_blocks(*this, work, step);
    return info;
  }

  void before(const Piece&, const BlockedStep&) const {}

  double move(const BlockedWork& work, const Piece& piece, Out g, const BlockedStep& step) const {
    auto x = piece.array(0);
    g -= work.precision(piece) * x;
    const double spread = langevin_spread(step.size, params_.temperature);
    euler_move(step.size, spread, g, piece.name(step.names).stream("noise"), x);
    return g.squaredNorm();
  }

  void end_warmup() const {}
  static void fields(auto&, auto&&) {}

 private:
  Params params_;
};

}  // namespace quasar
