#include "kernels/thermostat/np_hmc.hpp"

#include "samplers/adapted.hpp"
#include "samplers/samplers.hpp"
#include "samplers/thermostat_params.hpp"
#include "samplers/trajectory_params.hpp"

namespace quasar {

std::span<const ParamSpec> np_hmc_params() {
  static constexpr std::array params{step_size_param("step size; 0: learned in warm-up"),
                                     leapfrog_steps_param,
                                     integration_time_param(quarter_period),
                                     jitter_param,
                                     thermostat_mass_param,
                                     offset_sd_param,
                                     temperature_param,
                                     target_accept_param("0.8"),
                                     metric_param,
                                     memory_param};
  return params;
}

std::unique_ptr<Chain> make_np_hmc(std::unique_ptr<Target> target, const Config& config, const ChainSpec& spec) {
  const Index dim = moving_block(*target).size;
  const double temperature = temperature_of(*target, config);
  return make_adapted<NpHmc>(std::move(target), config, spec, [&](auto& params) {
    set_trajectory(config, params);
    params.dynamics.degrees = static_cast<double>(dim);
    params.dynamics.temperature = temperature;
    params.dynamics.thermostat_mass = thermostat_mass(config, dim);
    params.offset_sd = config.real("offset_sd");
  });
}

}  // namespace quasar
