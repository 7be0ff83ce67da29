#include "kernels/blocked/blocked_work.hpp"

#include <fmt/core.h>

#include <quasar/errors.hpp>

#include "models/factorization/block_slopes.hpp"

namespace quasar {

void BlockedWork::slopes(Index b, In w, In h, Out gw, Out gh) const {
  const Timed timed(exchange_->times.gradient);
  const double weight = 1 / (parts_.share(held_.part()) * settings_.noise_sd * settings_.noise_sd);
  const RatingBlock& block = held_.ratings().block(b, held_.items(b).block);
  gw.setZero();
  gh.setZero();
  add_block_slopes(block, settings_.rank, w.data(), h.data(), weight, gw.data(), gh.data());
}

void BlockedWork::gradient(Index b, In w, In h, Out gw, Out gh) const {
  slopes(b, w, h, gw, gh);
  gw -= precision(held_.users(b)) * w;
  gh -= precision(held_.items(b)) * h;
}

// Every rank has all sums, and so all find out at the same step, with no message under way.
double BlockedWork::gradient_norm(double step_size) {
  sums_.clear(1);
  const Share own = held_.share();
  for (Index b = own.begin; b < own.end; ++b) sums_.of(b)[0] = squared_norms_[b];
  const double squared_norm = sums_.total(*exchange_)[0];
  if (std::isfinite(squared_norm)) return std::sqrt(squared_norm);
  Index b = 0;
  while (b + 1 < held_.blocks() && std::isfinite(sums_.of(b)[0])) ++b;
  throw Diverged(
      fmt::format("the chain has diverged: the gradient is not finite in block {}, step size {:.3g}. Try a step_size "
                  "ten times smaller",
                  b + 1, step_size));
}

}  // namespace quasar
