#include "kernels/thermostat/sg_nphmc_canonical.hpp"

#include <cmath>

#include <quasar/errors.hpp>

#include "samplers/believed_noise.hpp"
#include "samplers/fisher_mass.hpp"
#include "samplers/samplers.hpp"
#include "samplers/stochastic.hpp"
#include "samplers/thermostat_params.hpp"

namespace quasar {

namespace {

struct RateByMode {
  bool friction_given;

  void operator()(SgNphmcCanonical& kernel, SgNphmcCanonicalState&, const LocalScale& local, const Vec&) const {
    if (local.mode.size() == 0) return;
    kernel.params().step.size = thermostat_step(local, MassMatrix(1, true));  // local has the mass in it
    if (!friction_given) kernel.params().friction = local.friction();
  }
};

}  // namespace

std::span<const ParamSpec> sg_nphmc_canonical_params() {
  static const auto params = stochastic_params(
      "e: a step moves p by e grad, x by e p/mass; 0: by the curvature and the noise at the mode",
      {ParamSpec{.name = "friction",
                 .doc = "g: momenta decay as exp(-g t); 0: by the mode, or a tenth of 1/step_size",
                 .type = ParamSpec::real,
                 .init = "0",
                 .min = 0,
                 .max = 1e100},
       ParamSpec{.name = "mass",
                 .doc = "M: a number, one for each coordinate (a,b,...), a symmetric matrix row by row, or fisher: "
                        "learned in warm-up from the variance of minibatches",
                 .type = ParamSpec::text,
                 .init = "1"},
       thermostat_mass_param, temperature_param, noise_variance_param, steps_param,
       ParamSpec{.name = "thermostat",
                 .doc = "false: Langevin dynamics, which has to know the noise of its gradients",
                 .type = ParamSpec::boolean,
                 .init = "true"},
       ParamSpec{.name = "refresh",
                 .doc = "draw new momenta, the thermostat's too, at the start of every iteration: the thermostat then "
                        "forgets what it has found out about the noise",
                 .type = ParamSpec::boolean,
                 .init = "false"},
       batch_param});
  return params;
}

std::unique_ptr<Chain> make_sg_nphmc_canonical(std::unique_ptr<Target> target, const Config& config,
                                               const ChainSpec& spec) {
  const Index dim = moving_block(*target).size;
  StochasticSetup setup = stochastic_setup(*target, config);
  SgNphmcCanonicalParams params;
  params.mass = learns_fisher_mass(config) ? MassMatrix(dim, true) : mass_from(config, dim);
  params.noise = believed_noise(config, setup, dim);
  if (!params.mass.diagonal() && !params.noise.none()) {
    throw UsageError("a mass that is a matrix needs noise_variance=0: the thermostat then finds the noise");
  }
  if (setup.step_is_auto) setup.step.size = thermostat_step(setup.local, params.mass);
  params.step = setup.step;
  params.friction = config.real("friction");
  if (params.friction == 0) params.friction = setup.step_is_auto ? setup.local.friction() : 0.1 / setup.step.at(1);
  params.temperature = temperature_of(*target, config);
  params.thermostat_mass = thermostat_mass(config, dim);
  params.leapfrog_steps = config.integer("leapfrog_steps");
  params.thermostat = config.flag("thermostat");
  params.refresh = config.flag("refresh");
  params.hold_batch = config.text("batch") == "per_trajectory";
  if (learns_fisher_mass(config)) {
    return make_fisher<SgNphmcCanonical>(std::move(target), std::move(setup), std::move(params), spec,
                                         RateByMode{config.real("friction") > 0});
  }
  return make_stochastic<SgNphmcCanonical>(std::move(target), setup, std::move(params), spec);
}

}  // namespace quasar
