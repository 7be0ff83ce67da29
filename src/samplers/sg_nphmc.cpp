#include "kernels/thermostat/sg_nphmc.hpp"

#include <cmath>

#include <quasar/errors.hpp>

#include "samplers/believed_noise.hpp"
#include "samplers/mass_em_params.hpp"
#include "samplers/samplers.hpp"
#include "samplers/stochastic.hpp"
#include "samplers/thermostat_params.hpp"

namespace quasar {

namespace {

struct SgNphmcSetup {
  StochasticSetup setup;
  SgNphmcParams params;
};

SgNphmcSetup sg_nphmc_setup(Target& target, const Config& config) {
  const Index dim = moving_block(target).size;
  StochasticSetup setup = stochastic_setup(target, config);
  SgNphmcParams params;
  params.mass = mass_from(config, dim);
  if (setup.step_is_auto) setup.step.size = thermostat_step(setup.local, params.mass);
  params.step = setup.step;
  params.temperature = temperature_of(target, config);
  params.thermostat_mass = thermostat_mass(config, dim);
  params.friction = config.real("friction");
  params.thermostat_friction = config.real("thermostat_friction");
  params.leapfrog_steps = config.integer("leapfrog_steps");
  params.inject = config.flag("inject");
  if (params.inject) {
    params.noise = believed_noise(config, setup, dim);
  } else if (config.text("noise_variance") != "learned") {
    throw UsageError("noise_variance says how much of the noise is there before any is injected: it needs inject=true");
  }
  params.batch = batch_from(config);
  return {std::move(setup), std::move(params)};
}

}  // namespace

std::span<const ParamSpec> sg_nphmc_params() {
  static const auto params = stochastic_params(
      "leapfrog step size; 0: by the curvature and the noise at the mode",
      {trajectory_steps_param,
       ParamSpec{.name = "friction",
                 .doc = "B, of the momenta; right where it equals step_size/2 times the variance of the gradient",
                 .type = ParamSpec::real,
                 .init = "0.01",
                 .min = 0,
                 .max = 1e100},
       ParamSpec{.name = "thermostat_friction",
                 .doc = "A, of the thermostat's momentum",
                 .type = ParamSpec::real,
                 .init = "0.01",
                 .min = 0,
                 .max = 1e100},
       mass_param, thermostat_mass_param, temperature_param,
       ParamSpec{.name = "inject",
                 .doc = "add the noise that the friction wants beyond noise_variance",
                 .type = ParamSpec::boolean,
                 .init = "false"},
       noise_variance_param, half_kick_batch_param});
  return params;
}

std::unique_ptr<Chain> make_sg_nphmc(std::unique_ptr<Target> target, const Config& config, const ChainSpec& spec) {
  SgNphmcSetup made = sg_nphmc_setup(*target, config);
  return make_stochastic<SgNphmc>(std::move(target), made.setup, std::move(made.params), spec);
}

std::span<const ParamSpec> sg_nphmc_em_params() {
  static constexpr std::array<Choice, 2> freeze{{{"false"}, {"true"}}};
  static const auto params = mass_em_params(sg_nphmc_params(), freeze);
  return params;
}

std::unique_ptr<Chain> make_sg_nphmc_em(std::unique_ptr<Target> target, const Config& config, const ChainSpec& spec) {
  MassEmSetup em = mass_em_setup(config, *target, spec.schedule);
  SgNphmcSetup made = sg_nphmc_setup(*target, config);
  em.settings.temperature = made.params.temperature;
  return make_stochastic_em<SgNphmc>(std::move(target), made.setup, std::move(made.params), std::move(em), spec);
}

}  // namespace quasar
