// dsgld and dpsgld: Langevin dynamics on blocks that need nothing of each other.
#include "kernels/blocked/dpsgld.hpp"
#include "kernels/blocked/dsgld.hpp"
#include "samplers/blocked.hpp"
#include "samplers/psgld_params.hpp"
#include "samplers/samplers.hpp"

namespace quasar {

std::span<const ParamSpec> dsgld_params() {
  static const auto params =
      blocked_params("Langevin step e: drift e grad, noise variance 2 e; 0: by the row with most ratings");
  return params;
}

std::unique_ptr<Chain> make_dsgld(std::unique_ptr<Target> target, const Config& config, const ChainSpec& spec) {
  const BlockedSetup setup = blocked_setup("dsgld", *target, config, config.real("step_size"), spec);
  auto params = setup.params<BlockedParams>();
  if (setup.step_is_auto) params.step.size = setup.scale.langevin_step();
  return make_blocked<Dsgld>(std::move(target), setup, params, spec);
}

std::span<const ParamSpec> dpsgld_params() {
  static const auto params =
      blocked_params("Langevin step e: drift e H grad, noise variance 2 e H; 0: by the row with most ratings",
                     {averaging_param, regularization_param, update_first_param});
  return params;
}

std::unique_ptr<Chain> make_dpsgld(std::unique_ptr<Target> target, const Config& config, const ChainSpec& spec) {
  const BlockedSetup setup = blocked_setup("dpsgld", *target, config, config.real("step_size"), spec);
  auto params = setup.params<DpsgldParams>();
  params.averaging = config.real("averaging");
  params.regularization = config.real("regularization");
  params.update_first = config.flag("update_first");
  if (setup.step_is_auto) params.step.size = setup.scale.langevin_step() * params.regularization;  // H <= 1/lambda
  return make_blocked<Dpsgld>(std::move(target), setup, params, spec);
}

}  // namespace quasar
