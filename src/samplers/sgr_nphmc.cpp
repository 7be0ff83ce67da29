// sgr-nphmc, as published, and sgr-nphmc-canonical, which is consistent.
#include "kernels/thermostat/sgr_nphmc.hpp"

#include <cmath>

#include "integrators/scaled_geometry.hpp"
#include "kernels/thermostat/sgr_nphmc_canonical.hpp"
#include "samplers/riemannian_params.hpp"
#include "samplers/samplers.hpp"
#include "samplers/stochastic.hpp"

namespace quasar {

namespace {

constexpr ParamSpec metric_scale_param{
    .name = "metric_scale",
    .doc =
        "k, a factor of the metric, which also changes the unit of time: the root of k divides steps and frictions, "
        "k^(1 - a D) the thermostat's mass",
    .type = ParamSpec::real,
    .init = "1",
    .min = 1e-12,
    .max = 1e12};
constexpr std::string_view trajectory_step_doc =
    "size of a generalised leapfrog step, without units; 0: a tenth, less for noisy gradients";

constexpr ParamSpec non_negative(std::string_view name, std::string_view doc, std::string_view init) {
  return {.name = name, .doc = doc, .type = ParamSpec::real, .init = init, .min = 0, .max = 1e100};
}

std::shared_ptr<Geometry> scaled_geometry_for(Target& target, const Config& config, double scale) {
  std::shared_ptr<Geometry> geometry = geometry_for(target, config);
  return scale == 1 ? geometry : std::make_shared<ScaledGeometry>(std::move(geometry), scale);
}

// On a metric that is the curvature, that is 1 and the noise of the gradient is what it is to the curvature.
double unit_free_step(const LocalScale& local, double metric_scale) {
  return local.momentum_step() * std::sqrt(local.curvature * metric_scale) / 3;
}

template <class K>
std::unique_ptr<Chain> make_chain(std::unique_ptr<Target> target, const Config& config, const ChainSpec& spec,
                                  typename K::Params params, double metric_scale = 1) {
  // Before the step size: a target that has no metric need not look for one.
  const std::shared_ptr<Geometry> geometry = scaled_geometry_for(*target, config, metric_scale);
  StochasticSetup setup = stochastic_setup(*target, config);
  if (setup.step_is_auto) setup.step.size = unit_free_step(setup.local, metric_scale);
  params.step = setup.step;
  params.solver = implicit_settings(*target, *geometry, config, false);
  params.leapfrog_steps = config.integer("leapfrog_steps");
  params.batch = batch_from(config);
  K kernel(*target, geometry, setup.estimator, params);
  return std::make_unique<KernelChain<K, NoAdaptation>>(std::move(target), std::move(kernel), NoAdaptation(),
                                                        near_mode(spec, setup));
}

}  // namespace

std::span<const ParamSpec> sgr_nphmc_params() {
  static const auto params = stochastic_params(
      trajectory_step_doc,
      {trajectory_steps_param, non_negative("friction", "B, of the momenta", "0.01"),
       non_negative("thermostat_friction", "A, of the thermostat's momentum", "0.01"), thermostat_mass_param,
       metric_exponent_param, temperature_param, metric_scale_param, geometry_param, softabs_alpha_param, solver_param,
       fixed_iterations_param, half_kick_batch_param});
  return params;
}

std::unique_ptr<Chain> make_sgr_nphmc(std::unique_ptr<Target> target, const Config& config, const ChainSpec& spec) {
  SgrNphmcParams params;
  params.thermostat = metric_thermostat(config, target->dim());
  params.thermostat.friction = config.real("friction");
  params.thermostat.thermostat_friction = config.real("thermostat_friction");
  return make_chain<SgrNphmc>(std::move(target), config, spec, params, config.real("metric_scale"));
}

std::span<const ParamSpec> sgr_nphmc_canonical_params() {
  static const auto params = stochastic_params(
      trajectory_step_doc,
      {steps_param,
       non_negative("friction", "c: momenta decay as exp(-c t), and noise of variance 2 c T G is added", "1"),
       non_negative("noise_ratio",
                    "v: noise of the gradient of variance v G is taken off what is added; the thermostat takes up what "
                    "there is beyond it",
                    "0"),
       thermostat_mass_param, temperature_param, geometry_param, softabs_alpha_param, solver_param,
       fixed_iterations_param, batch_param});
  return params;
}

std::unique_ptr<Chain> make_sgr_nphmc_canonical(std::unique_ptr<Target> target, const Config& config,
                                                const ChainSpec& spec) {
  SgrNphmcCanonicalParams params;
  params.friction = config.real("friction");
  params.noise_ratio = config.real("noise_ratio");
  params.thermostat = {config.real("temperature"), thermostat_mass(config, target->dim())};
  return make_chain<SgrNphmcCanonical>(std::move(target), config, spec, params);
}

}  // namespace quasar
