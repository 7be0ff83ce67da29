// hmc-em: HMC whose mass is learned from its momenta.
#include "adapt/learned_mass.hpp"
#include "adapt/warmup.hpp"
#include "core/kernel_chain.hpp"
#include "kernels/hmc/mass_hmc.hpp"
#include "samplers/adapted.hpp"
#include "samplers/chosen.hpp"
#include "samplers/mass_em_params.hpp"
#include "samplers/samplers.hpp"
#include "samplers/trajectory_params.hpp"

namespace quasar {

std::span<const ParamSpec> hmc_em_params() {
  static constexpr std::array<Choice, 2> momenta{{{"after_metropolis"}, {"before_metropolis"}}};
  static constexpr std::array<Choice, 2> freeze{{{"false"}, {"true", Law::exact}}};
  static constexpr std::array base{
      step_size_param("leapfrog step size; 0: learned in warm-up"),
      leapfrog_steps_param,
      integration_time_param(quarter_period),
      jitter_param,
      target_accept_param("0.8"),
      first_mass_param,
      ParamSpec{.name = "momenta",
                .doc = "which momentum of a trajectory is learned from: its end where it is accepted and its start "
                       "where not, or always its end",
                .type = ParamSpec::choice,
                .init = "after_metropolis",
                .choices = momenta}};
  static const auto params = mass_em_params(base, freeze);
  return params;
}

std::unique_ptr<Chain> make_hmc_em(std::unique_ptr<Target> target, const Config& config, const ChainSpec& spec) {
  const Block whole{0, target->dim()};
  const StepSizeRule rule = step_size_rule(config);
  MassEmSetup em = mass_em_setup(config, *target, spec.schedule);
  MassHmcParams params;
  params.step_size = rule.first();
  set_trajectory(config, params);
  params.mass = std::move(em.mass);
  params.momenta = chosen<MassHmcParams::Momenta>(
      config, "momenta",
      {{"after_metropolis", MassHmcParams::after_metropolis}, {"before_metropolis", MassHmcParams::before_metropolis}});
  LearnedMass<MassHmc> kernel(MassHmc(*target, whole, std::move(params)), em.settings);
  return std::make_unique<KernelChain<LearnedMass<MassHmc>, StepSizeWarmup>>(std::move(target), std::move(kernel),
                                                                             rule.warmup(), spec);
}

}  // namespace quasar
