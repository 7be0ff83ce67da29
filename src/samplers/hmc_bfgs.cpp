#include "kernels/hmc/hmc_bfgs.hpp"

#include "adapt/ensemble_warmup.hpp"
#include "samplers/adapted.hpp"
#include "samplers/ensemble.hpp"
#include "samplers/samplers.hpp"
#include "samplers/trajectory_params.hpp"

namespace quasar {

std::unique_ptr<Chain> make_ensemble(std::unique_ptr<Target> target, const Config& config, const ChainSpec& spec) {
  const StepSizeRule rule = step_size_rule(config);
  EnsembleParams params;
  set_trajectory(config, params);
  params.members = config.integer("members");
  params.step_size = rule.first();
  const HmcBfgs kernel(*target, moving_block(*target), params);
  const EnsembleWarmup warmup(rule.target_accept, rule.fixed(), params.members);
  return std::make_unique<KernelChain<HmcBfgs, EnsembleWarmup>>(std::move(target), kernel, warmup, spec);
}

std::span<const ParamSpec> hmc_bfgs_params() {
  static constexpr std::array params{step_size_param("leapfrog step size; 0: learned in warm-up"),
                                     leapfrog_steps_param,
                                     integration_time_param(beyond_quarter_period),
                                     jitter_param,
                                     members_param,
                                     target_accept_param("0.8")};
  return params;
}

std::unique_ptr<Chain> make_hmc_bfgs(std::unique_ptr<Target> target, const Config& config, const ChainSpec& spec) {
  return make_ensemble(std::move(target), config, spec);
}

}  // namespace quasar
