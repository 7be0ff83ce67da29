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

void BlockedWork::check(Index b, double squared_norm, double step_size) {
  squared_norms_[b] = squared_norm;
  if (std::isfinite(squared_norm)) return;
  throw Diverged(
      fmt::format("the chain has diverged: step size {:.3g}, gradient norm {:.3g} in block {}. Try a step_size ten "
                  "times smaller",
                  step_size, std::sqrt(squared_norm), b + 1));
}

double BlockedWork::gradient_norm() {
  sums_.clear(1);
  const Share own = held_.share();
  for (Index b = own.begin; b < own.end; ++b) sums_.of(b)[0] = squared_norms_[b];
  return std::sqrt(sums_.total(*exchange_)[0]);
}

}  // namespace quasar
