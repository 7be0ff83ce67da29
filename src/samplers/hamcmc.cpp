// hamcmc, and qn-langevin-naive: the same curvature in the wrong hands.
#include "kernels/langevin/hamcmc.hpp"

#include "kernels/langevin/qn_langevin_naive.hpp"
#include "samplers/hamcmc_params.hpp"
#include "samplers/samplers.hpp"
#include "samplers/stochastic.hpp"

namespace quasar {

namespace {

struct FreezeAfterWarmup : NoAdaptation {
  bool freeze = true;
  void finish(Hamcmc& kernel, const Vec&, Hamcmc::State&) const { kernel.params().frozen = freeze; }
};

// Along a random direction the curvature is hardly ever below a hundredth of a D-th of the largest. Where a pair has
// less, U bends the other way or is about to, and H would be of no use and without bound.
double least_curvature(const StochasticSetup& setup, Index dim) {
  const bool exact = setup.estimator.kind == EstimatorSettings::full && setup.estimator.added_noise == 0;
  const double guard = exact ? exact_curvature : noisy_curvature;
  return setup.step_is_auto ? std::max(guard, 0.01 * setup.local.curvature / static_cast<double>(dim)) : guard;
}

template <class Params>
Params params_from(const Config& config, const StochasticSetup& setup, Index dim) {
  Params params;
  params.step = setup.step;
  if (setup.step_is_auto) params.step.size = setup.local.langevin_step(1 / setup.local.curvature);
  params.memory = config.integer("memory");
  params.initial_scale = config.real("initial_scale");
  params.shift = config.real("shift");
  params.min_curvature = least_curvature(setup, dim);
  return params;
}

}  // namespace

std::span<const ParamSpec> hamcmc_params() {
  static const auto params = stochastic_params(
      hamcmc_step_doc, {members_memory_param, pairs_param, freeze_pairs_param, initial_scale_param, shift_param});
  return params;
}

std::unique_ptr<Chain> make_hamcmc(std::unique_ptr<Target> target, const Config& config, const ChainSpec& spec) {
  StochasticSetup setup = stochastic_setup(*target, config);
  auto params = params_from<HamcmcParams>(config, setup, moving_block(*target).size);
  params.pairs = config.text("pairs") == "printed" ? HamcmcParams::printed : HamcmcParams::random;
  const FreezeAfterWarmup adapter{{}, config.flag("freeze")};
  params.frozen = adapter.freeze && spec.schedule.warmup == 0;
  return make_stochastic<Hamcmc>(std::move(target), setup, params, spec, adapter);
}

std::span<const ParamSpec> qn_langevin_naive_params() {
  static const auto params =
      stochastic_params(hamcmc_step_doc, {ParamSpec{.name = "memory",
                                                    .doc = "points of the chain's past, memory - 1 pairs",
                                                    .type = ParamSpec::integer,
                                                    .init = "3",
                                                    .min = 2,
                                                    .max = 1000},
                                          initial_scale_param, shift_param});
  return params;
}

std::unique_ptr<Chain> make_qn_langevin_naive(std::unique_ptr<Target> target, const Config& config,
                                              const ChainSpec& spec) {
  StochasticSetup setup = stochastic_setup(*target, config);
  const auto params = params_from<QnLangevinNaiveParams>(config, setup, moving_block(*target).size);
  return make_stochastic<QnLangevinNaive>(std::move(target), setup, params, spec);
}

}  // namespace quasar
