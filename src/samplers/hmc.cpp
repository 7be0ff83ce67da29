#include "kernels/hmc/hmc.hpp"

#include "samplers/adapted.hpp"
#include "samplers/samplers.hpp"
#include "samplers/trajectory_params.hpp"

namespace quasar {

std::span<const ParamSpec> hmc_params() {
  static constexpr std::array<Choice, 2> metropolis_choices{{{"true"}, {"false", Law::consistent}}};
  static constexpr std::array params{
      step_size_param("leapfrog step size; 0: learned in warm-up"),
      leapfrog_steps_param,
      integration_time_param(quarter_period),
      jitter_param,
      ParamSpec{"metropolis", "accept or reject; false keeps every proposal, with a bias of order step_size^2",
                ParamSpec::choice, "true", -ParamSpec::inf, ParamSpec::inf, false, metropolis_choices},
      target_accept_param("0.8"),
      metric_param,
      memory_param};
  return params;
}

std::unique_ptr<Chain> make_hmc(std::unique_ptr<Target> target, const Config& config, const ChainSpec& spec) {
  return make_adapted<Hmc>(std::move(target), config, spec, [&](auto& params) {
    set_trajectory(config, params);
    params.metropolis = config.text("metropolis") == "true";
  });
}

}  // namespace quasar
