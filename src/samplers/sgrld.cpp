#include "kernels/langevin/sgrld.hpp"

#include "samplers/geometry_params.hpp"
#include "samplers/samplers.hpp"
#include "samplers/stochastic.hpp"

namespace quasar {

std::span<const ParamSpec> sgrld_params() {
  static const auto params =
      stochastic_params("Langevin step e: drift e H grad, noise variance 2 e H; 0: a tenth, less for noisy gradients",
                        {geometry_param, softabs_alpha_param});
  return params;
}

std::unique_ptr<Chain> make_sgrld(std::unique_ptr<Target> target, const Config& config, const ChainSpec& spec) {
  auto geometry = geometry_for(*target, config);  // first: a target that has none need not look for a step size
  StochasticSetup setup = stochastic_setup(*target, config);
  if (setup.step_is_auto) setup.step.size = setup.local.langevin_step(1 / setup.local.curvature);
  Sgrld kernel(*target, std::move(geometry), setup.estimator, {setup.step});
  return std::make_unique<KernelChain<Sgrld, NoAdaptation>>(std::move(target), std::move(kernel), NoAdaptation(),
                                                            near_mode(spec, setup));
}

}  // namespace quasar
