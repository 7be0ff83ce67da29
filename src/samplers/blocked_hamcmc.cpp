// dhamcmc: quasi-Newton Langevin dynamics on blocks.
#include <algorithm>

#include "kernels/blocked/dhamcmc.hpp"
#include "samplers/blocked.hpp"
#include "samplers/hamcmc_params.hpp"
#include "samplers/samplers.hpp"

namespace quasar {

namespace {

// Where a pair has less, the likelihood bends the other way, and H would be of no use and without bound.
double prior_curvature(const BlockedFactorizationSettings& settings) {
  const double sd = std::max(settings.user_sd, settings.item_sd);
  return 1 / (sd * sd);
}

constexpr double least_alignment = 0.1;

// Along a random s, s'y / y'y is about sum k / sum k^2 over all curvatures k, which is at most one over their mean.
double largest_gamma(const RowScale& scale) { return 1 / scale.mean; }

}  // namespace

static_assert(Dhamcmc::most_members == Hamcmc::most_members);

std::span<const ParamSpec> dhamcmc_params() {
  static const auto params =
      blocked_params("Langevin step e: drift e H grad, noise variance 2 e H; 0: by the row with most ratings",
                     {members_memory_param, pairs_param, freeze_pairs_param, initial_scale_param, shift_param});
  return params;
}

std::unique_ptr<Chain> make_dhamcmc(std::unique_ptr<Target> target, const Config& config, const ChainSpec& spec) {
  const BlockedSetup setup = blocked_setup("dhamcmc", *target, config, config.real("step_size"), spec);
  auto params = setup.params<DhamcmcParams>();
  params.memory = config.integer("memory");
  params.pairs = config.text("pairs") == "printed" ? DhamcmcParams::printed : DhamcmcParams::random;
  params.initial_scale = config.real("initial_scale");
  params.shift = config.real("shift");
  params.min_curvature = prior_curvature(setup.settings);
  if (params.initial_scale == 0) params.min_alignment = least_alignment;
  if (setup.step_is_auto) {
    const double gamma = params.initial_scale > 0 ? params.initial_scale : largest_gamma(setup.scale);
    params.step.size = setup.scale.langevin_step() / gamma;
  }
  params.freeze = config.flag("freeze");
  params.frozen = params.freeze && spec.schedule.warmup == 0;
  return make_blocked<Dhamcmc>(std::move(target), setup, params, spec);
}

}  // namespace quasar
