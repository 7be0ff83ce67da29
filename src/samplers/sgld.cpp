// sgld, and sgd: the same without noise.
#include "kernels/langevin/sgld.hpp"

#include "kernels/lazy/lazy_sgld.hpp"
#include "samplers/lazy.hpp"
#include "samplers/samplers.hpp"
#include "samplers/stochastic.hpp"

namespace quasar {

namespace {

std::unique_ptr<Chain> make_at_temperature(std::unique_ptr<Target> target, const Config& config, const ChainSpec& spec,
                                           double temperature) {
  StochasticSetup setup = stochastic_setup(*target, config);
  if (setup.step_is_auto) setup.step.size = setup.local.langevin_step();
  const StochasticParams params{setup.step, temperature};
  if (takes_lazy_steps(*target, config, setup, spec, {})) {
    return make_stochastic<LazySgld>(std::move(target), setup, params, spec);
  }
  return make_stochastic<Sgld>(std::move(target), setup, params, spec);
}

}  // namespace

std::span<const ParamSpec> sgld_params() {
  static const auto params = stochastic_params(
      "Langevin step e: drift e grad, noise variance 2 e; 0: by the curvature at the mode", {lazy_param});
  return params;
}

std::unique_ptr<Chain> make_sgld(std::unique_ptr<Target> target, const Config& config, const ChainSpec& spec) {
  return make_at_temperature(std::move(target), config, spec, 1);
}

std::span<const ParamSpec> sgd_params() {
  static const auto params =
      stochastic_params("learning rate of the sum over data; 0: by the curvature at the mode", {lazy_param});
  return params;
}

std::unique_ptr<Chain> make_sgd(std::unique_ptr<Target> target, const Config& config, const ChainSpec& spec) {
  return make_at_temperature(std::move(target), config, spec, 0);
}

}  // namespace quasar
