#include "kernels/blocked/dpsgld.hpp"

#include <algorithm>

namespace quasar {

// v = 0 would give steps of size e/lambda.
std::int64_t Dpsgld::start(BlockedWork& work, const Rng&) const {
  const Share own = work.held().share();
  for (Index b = own.begin; b < own.end; ++b) {
    const Piece w = work.held().users(b), h = work.held().items(b);
    work.slopes(b, w.array(0), h.array(0), work.scratch(w), work.scratch(h));
    for (const Piece& piece : {w, h}) piece.array(1) = (work.scratch(piece) / work.parts().ratings()).cwiseAbs2();
  }
  return 1;
}

Dpsgld::Info Dpsgld::step(BlockedWork& work, int, const BlockedStep& step) const {
  Info info;
  info.grad_evals = move_blocks(*this, work, step);
  return info;
}

double Dpsgld::move(const BlockedWork& work, const Piece& piece, Out g, const BlockedStep& step) const {
  constexpr Index at_once = 512;
  Eigen::Matrix<double, at_once, 1> noise, scale;
  Stream normals = piece.name(step.names).stream("noise");
  double squared_norm = 0;
  for (Index begin = 0; begin < piece.numbers; begin += at_once) {
    const Index n = std::min(at_once, piece.numbers - begin);
    auto x = piece.array(0).segment(begin, n), v = piece.array(1).segment(begin, n);
    auto slopes = g.segment(begin, n);
    auto z = noise.head(n), h = scale.head(n);
    const auto average = [&] {
      v = params_.averaging * v + (1 - params_.averaging) * (slopes / work.parts().ratings()).cwiseAbs2();
    };
    if (params_.update_first) average();
    h = (params_.regularization + v.array().sqrt()).inverse();
    if (!params_.update_first) average();
    slopes -= work.precision(piece) * x;
    squared_norm += slopes.squaredNorm();
    normals.normals(z);
    x.array() +=
        step.size * h.array() * slopes.array() + (2 * step.size * params_.temperature * h.array()).sqrt() * z.array();
  }
  return squared_norm;
}

}  // namespace quasar
