// Stochastic gradient Hamiltonian Monte Carlo with friction (Chen, Fox and Guestrin 2014) on blocks: sghmc with mass 1,
// whose minibatch is a part of the ratings,
//
//   x <- x + e p,   p <- p + e grad log pi~(x) - e C p + N(0, 2 e T (C - B)),   B = e V/2.
//
// C and V, the variance of the gradient estimate, are numbers: blocks need nothing of each other. What moves of the
// items is x and p.
#pragma once

#include <cmath>

#include "kernels/blocked/block_moves.hpp"
#include "kernels/langevin/euler.hpp"

namespace quasar {

struct DsghmcParams : BlockedParams {
  double friction = 1;        // C
  double noise_variance = 0;  // V
};

class Dsghmc {
 public:
  using Params = DsghmcParams;
  using Info = BlockedInfo;

  explicit Dsghmc(const Params& params) : params_(params) {}
  Params& params() { return params_; }
  const Params& params() const { return params_; }

  static int members() { return 1; }
  static Index arrays() { return 2; }  // x, p
  // Stable where e^2 k < 2 (2 - e C).
  double step_curvature(double step) const {
    return step * step * params_.row_curvature / (2 - step * params_.friction);
  }

  std::int64_t start(BlockedWork& work, const Rng& names) const {
    const Share own = work.held().share();
    for (Index b = own.begin; b < own.end; ++b) {
      for (const Piece& piece : {work.held().users(b), work.held().items(b)}) {
        auto p = piece.array(1);
        piece.name(names).stream("momentum").normals(p);
        p *= std::sqrt(params_.temperature);
      }
    }
    return 0;
  }

  Info step(BlockedWork& work, int, const BlockedStep& step) const {
    Info info;
    info.grad_evals = move_blocks(*this, work, step);
    return info;
  }

  void before(const Piece& piece, const BlockedStep& step) const { piece.array(0) += step.size * piece.array(1); }

  double move(const BlockedWork& work, const Piece& piece, Out g, const BlockedStep& step) const {
    auto p = piece.array(1);
    g -= work.precision(piece) * piece.array(0);
    p *= 1 - step.size * params_.friction;
    euler_move(step.size, spread(step.size), g, piece.name(step.names).stream("noise"), p);
    return g.squaredNorm();
  }

  void end_warmup() const {}
  static void fields(auto&, auto&&) {}

 private:
  double spread(double step) const {
    const double left = std::max(params_.friction - step / 2 * params_.noise_variance, 0.0);
    return std::sqrt(2 * step * params_.temperature * left);
  }

  Params params_;
};

}  // namespace quasar
