// The step of a method whose blocks need nothing of each other but the slopes: block after block of users, its items
// first, which are on their way while the users move and while the next block is worked on.
#pragma once

#include <quasar/core.hpp>

#include "core/timed.hpp"
#include "kernels/blocked/blocked_work.hpp"

namespace quasar {

// Method: before(piece, step), what happens ahead of the gradient; move(work, piece, slopes, step), which returns the
// squared norm of the gradient with the prior. Returns how many gradients were taken.
template <class Method>
std::int64_t move_blocks(const Method& method, BlockedWork& work, const BlockedStep& step) {
  const Share own = work.held().share();
  const auto move = [&](const Piece& piece) {
    const Timed timed(work.exchange().times.noise);
    return method.move(work, piece, work.scratch(piece), step);
  };
  for (Index b = own.begin; b < own.end; ++b) {
    const Piece w = work.held().users(b), h = work.held().items(b);
    method.before(w, step);
    method.before(h, step);
    work.slopes(b, w.array(0), h.array(0), work.scratch(w), work.scratch(h));
    const double of_items = move(h);
    work.held().send(b);
    work.keep_norm(b, of_items + move(w));
    work.exchange().progress();
  }
  return 1;
}

}  // namespace quasar
