// dsghmc: dynamics with friction on blocks.
#include <fmt/core.h>

#include <quasar/errors.hpp>

#include "kernels/blocked/dsghmc.hpp"
#include "samplers/blocked.hpp"
#include "samplers/momentum_params.hpp"
#include "samplers/samplers.hpp"

namespace quasar {

namespace {

constexpr ParamSpec one_friction_param{.name = "friction",
                                       .doc = "C, a number; 0: momentum_decay",
                                       .type = ParamSpec::real,
                                       .init = "0",
                                       .min = 0,
                                       .max = 1e100};
constexpr ParamSpec one_noise_variance_param{
    .name = "noise_variance",
    .doc = "V, the variance of the gradient estimate, a number for all coordinates; 0 leaves it uncorrected",
    .type = ParamSpec::real,
    .init = "0",
    .min = 0,
    .max = 1e100};

double blocked_friction(const Config& config, const BlockedSetup& setup, double step) {
  const double friction = config.real("friction"), decay = config.real("momentum_decay");
  if (friction > 0 && decay > 0) throw UsageError("friction and momentum_decay are two words for one thing");
  if (friction > 0) return friction;
  if (decay == 0 && setup.step_is_auto) return setup.scale.friction(step);
  return (decay > 0 ? decay : default_momentum_decay) / step;
}

void expect_possible(const DsghmcParams& params, double step) {
  if (step * params.friction > 1) {
    throw UsageError(fmt::format("step_size {:.3g} times friction {:.3g} is more than 1: the momentum would turn round",
                                 step, params.friction));
  }
  if (step / 2 * params.noise_variance > params.friction) {
    throw UsageError(fmt::format(
        "the noise of the gradient is more than the friction takes up: step_size/2 times noise_variance, {:.3g}, must "
        "not exceed the friction, {:.3g}. Try more friction or a smaller step_size",
        step / 2 * params.noise_variance, params.friction));
  }
}

}  // namespace

std::span<const ParamSpec> dsghmc_params() {
  static const auto params =
      blocked_params("e: x moves by e p, p by e grad; 0: learning_rate, or by the row with most ratings",
                     {one_friction_param, learning_rate_param, momentum_decay_param, one_noise_variance_param});
  return params;
}

std::unique_ptr<Chain> make_dsghmc(std::unique_ptr<Target> target, const Config& config, const ChainSpec& spec) {
  const BlockedSetup setup = blocked_setup("dsghmc", *target, config, momentum_step_size(config), spec);
  auto params = setup.params<DsghmcParams>();
  if (setup.step_is_auto) params.step.size = setup.scale.momentum_step();
  params.friction = blocked_friction(config, setup, params.step.at(1));
  params.noise_variance = config.real("noise_variance");
  expect_possible(params, params.step.at(1));
  return make_blocked<Dsghmc>(std::move(target), setup, params, spec);
}

}  // namespace quasar
