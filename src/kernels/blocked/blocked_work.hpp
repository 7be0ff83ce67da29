// What a blocked method works with on one rank: the blocks it holds, the part of the ratings that is at hand, and the
// gradient of log pi there.
#pragma once

#include <cmath>
#include <cstdint>
#include <memory>

#include <quasar/core.hpp>
#include <quasar/exchange.hpp>
#include <quasar/rng.hpp>

#include "core/timed.hpp"
#include "kernels/blocked/block_sums.hpp"
#include "kernels/blocked/held_blocks.hpp"
#include "kernels/blocked/parts.hpp"
#include "kernels/stochastic.hpp"

namespace quasar {

struct BlockedParams : StochasticParams {
  double row_curvature = 0;  // the largest that U may have along a row, see samplers/blocked.hpp
};

struct BlockedInfo : StochasticInfo {
  std::int64_t part = 0;
  double step_curvature = 0;  // of the sharpest row, about: above 2 the step is unstable there
  static void fields(auto& self, auto&& visit) {
    StochasticInfo::fields(self, visit);
    visit("part", self.part);
    visit("step_curvature", self.step_curvature);
  }
};

struct BlockedStep {
  Rng names;    // of the step, the same on every rank
  double size;  // e
};

class BlockedWork {
 public:
  BlockedWork(const std::shared_ptr<const RatingBlocks>& ratings, const BlockedFactorizationSettings& settings,
              Index arrays, const Rng& first_step, Exchange& exchange)
      : settings_(settings),
        exchange_(&exchange),
        parts_(*ratings),
        held_(ratings, settings.rank, arrays, parts_.at(first_step), exchange),
        user_slopes_(held_.largest(true)),
        item_slopes_(held_.largest(false)),
        squared_norms_(Vec::Zero(held_.blocks())),
        sums_(held_.blocks(), 1) {}

  const BlockedFactorizationSettings& settings() const { return settings_; }
  const Parts& parts() const { return parts_; }
  HeldBlocks& held() { return held_; }
  const HeldBlocks& held() const { return held_; }
  Exchange& exchange() const { return *exchange_; }

  double precision(const Piece& piece) const {  // of its prior
    const double sd = piece.of_users ? settings_.user_sd : settings_.item_sd;
    return 1 / (sd * sd);
  }

  // The gradient of the log likelihood at (w, h), rows of users' block b and of the items that it meets, estimated from
  // the part at hand.
  void slopes(Index b, In w, In h, Out gw, Out gh) const;
  void gradient(Index b, In w, In h, Out gw, Out gh) const;  // with the prior
  Eigen::Map<Vec> scratch(const Piece& piece) {              // for slopes of one block of users and of items
    return {(piece.of_users ? user_slopes_ : item_slopes_).data(), piece.numbers};
  }

  void keep_norm(Index b, double squared) { squared_norms_[b] = squared; }  // of the gradient of block b and its items
  double gradient_norm(double step_size);  // of those kept. Of all ranks, and all throw Diverged where it is not finite

 private:
  BlockedFactorizationSettings settings_;
  Exchange* exchange_;
  Parts parts_;
  HeldBlocks held_;
  Vec user_slopes_, item_slopes_;
  Vec squared_norms_;  // of the blocks that this rank has
  BlockSums sums_;
};

}  // namespace quasar
