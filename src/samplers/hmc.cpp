#include "kernels/hmc/hmc.hpp"

#include "samplers/adapted.hpp"
#include "samplers/samplers.hpp"

namespace quasar {

std::span<const ParamSpec> hmc_params() {
  static constexpr std::array<Choice, 2> metropolis_choices{{{"true"}, {"false", Law::consistent}}};
  static constexpr std::array params{
      step_size_param("leapfrog step size; 0: learned in warm-up"),
      ParamSpec{"leapfrog_steps", "leapfrog steps a trajectory; 0: as many as integration_time takes",
                ParamSpec::integer, "0", 0, 1e6},
      ParamSpec{"integration_time", "length of a trajectory where leapfrog_steps is 0", ParamSpec::real,
                "1.5707963267948966", 0, 1e6, true},
      ParamSpec{"jitter", "the step size of each trajectory is uniform within this fraction of step_size",
                ParamSpec::real, "0.1", 0, 0.99},
      ParamSpec{"metropolis", "accept or reject; false keeps every proposal, with a bias of order step_size^2",
                ParamSpec::choice, "true", -ParamSpec::inf, ParamSpec::inf, false, metropolis_choices},
      target_accept_param("0.8"),
      metric_param};
  return params;
}

std::unique_ptr<Chain> make_hmc(std::unique_ptr<Target> target, const Config& config, const ChainSpec& spec) {
  return make_adapted<Hmc>(std::move(target), config, spec, [&](auto& params) {
    params.leapfrog_steps = config.integer("leapfrog_steps");
    params.integration_time = config.real("integration_time");
    params.jitter = config.real("jitter");
    params.metropolis = config.text("metropolis") == "true";
  });
}

}  // namespace quasar
