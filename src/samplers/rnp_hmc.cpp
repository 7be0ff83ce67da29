// rnp-hmc, and rnp-hmc-printed: the same trajectories under the test that was published.
#include "kernels/thermostat/rnp_hmc.hpp"

#include "samplers/riemannian_params.hpp"
#include "samplers/samplers.hpp"

namespace quasar {

namespace {

constexpr ParamSpec step_param =
    step_size_param("size of a generalised leapfrog step in Poincare's time; 0: learned in warm-up");

RnpHmcParams rnp_params_in(const Config& config, Index dim) {
  RnpHmcParams params;
  params.thermostat = metric_thermostat(config, dim);
  return params;
}

}  // namespace

std::span<const ParamSpec> rnp_hmc_params() {
  static constexpr std::array params{step_param,
                                     leapfrog_steps_param,
                                     integration_time_param(quarter_period),
                                     jitter_param,
                                     thermostat_mass_param,
                                     metric_exponent_param,
                                     temperature_param,
                                     offset_sd_param,
                                     geometry_param,
                                     softabs_alpha_param,
                                     solver_param,
                                     fixed_iterations_param,
                                     check_reversal_param,
                                     target_accept_param("0.95")};
  return params;
}

std::unique_ptr<Chain> make_rnp_hmc(std::unique_ptr<Target> target, const Config& config, const ChainSpec& spec) {
  RnpHmcParams params = rnp_params_in(config, target->dim());
  params.offset_sd = config.real("offset_sd");
  return make_implicit<RnpHmc>(std::move(target), config, spec, params);
}

std::span<const ParamSpec> rnp_hmc_printed_params() {
  static constexpr std::array params{step_param,
                                     leapfrog_steps_param,
                                     integration_time_param(quarter_period),
                                     jitter_param,
                                     thermostat_mass_param,
                                     metric_exponent_param,
                                     temperature_param,
                                     geometry_param,
                                     softabs_alpha_param,
                                     solver_param,
                                     fixed_iterations_param,
                                     check_reversal_param,
                                     target_accept_param("0.95")};
  return params;
}

std::unique_ptr<Chain> make_rnp_hmc_printed(std::unique_ptr<Target> target, const Config& config,
                                            const ChainSpec& spec) {
  RnpHmcParams params = rnp_params_in(config, target->dim());
  params.scheme = RnpHmcParams::printed;
  return make_implicit<RnpHmc>(std::move(target), config, spec, params);
}

}  // namespace quasar
