// What the blocked samplers share: the model they need, their parameters, and what stands behind "auto".
#pragma once

#include <initializer_list>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include <quasar/chain.hpp>
#include <quasar/config.hpp>
#include <quasar/core.hpp>

#include "kernels/blocked/blocked_chain.hpp"
#include "kernels/step_schedule.hpp"
#include "models/factorization/rating_blocks.hpp"
#include "samplers/stochastic.hpp"

namespace quasar {

// How sharp U is along the row with most ratings, c of them, once the factors fit, with s^2 the variance of those on
// the other side.
struct RowScale {
  // Where the c rows on the other side point anywhere the largest curvature is (sqrt c + sqrt K)^2 s^2 / noise_sd^2 +
  // prior (Bai and Yin, Ann. Probab. 21, 1993), and the variance of the slopes of one part B - 1 times that without the
  // prior.
  LocalScale local;
  double aligned = 1;  // curvature where they all point one way, K c s^2 / noise_sd^2 + prior: what a step must survive
  double mean = 1;     // curvature of all rows, as they point anywhere

  // As LocalScale's, but never more than a quarter of what is stable on aligned rows. Momentum e with friction C makes
  // Langevin steps of e^2 once e C = 1, and its noise is not taken off: rows differ in it, and one number for all would
  // cool most of them. The temperature is 1 + e V / (2 C) then, and C leaves 5 % (with this e, e C < 1).
  double langevin_step() const;
  double momentum_step() const;
  double friction(double step) const;
};

struct BlockedSetup {
  BlockedFactorizationSettings settings;
  std::shared_ptr<const RatingBlocks> ratings;
  StepSchedule step;
  bool step_is_auto = false;  // then step.size is yet to be set
  RowScale scale;

  template <class Params>
  Params params() const {
    Params params;
    params.step = step;
    params.row_curvature = scale.aligned;
    return params;
  }
};

std::vector<ParamSpec> blocked_params(std::string_view step_size_doc, std::initializer_list<ParamSpec> own = {});

// Of all ranks. UsageError: the target does not come in blocks.
BlockedSetup blocked_setup(std::string_view sampler, const Target& target, const Config& config, double step_size,
                           const ChainSpec& spec);

template <class Method>
std::unique_ptr<Chain> make_blocked(std::unique_ptr<Target> target, const BlockedSetup& setup,
                                    typename Method::Params params, const ChainSpec& spec) {
  return std::make_unique<BlockedChain<Method>>(std::move(target), setup.settings, setup.ratings, Method(params), spec);
}

}  // namespace quasar
