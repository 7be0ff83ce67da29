#include "kernels/hmc/sghmc_naive.hpp"

#include <quasar/errors.hpp>

#include "samplers/chosen.hpp"
#include "samplers/samplers.hpp"
#include "samplers/stochastic.hpp"

namespace quasar {

namespace {

// Of such batches or anchors the reversed sequence is not as likely.
bool depends_on_the_past(const EstimatorSettings& estimator) {
  if (estimator.kind == EstimatorSettings::full) return false;
  return estimator.order == Batches::shuffled || estimator.kind == EstimatorSettings::svrg;
}

}  // namespace

std::span<const ParamSpec> sghmc_naive_params() {
  static constexpr std::array<Choice, 2> metropolis_choices{{{"false"}, {"true", Law::exact}}};
  static constexpr std::array<Choice, 3> batch_choices{{{"per_gradient"}, {"per_half_kick"}, {"per_trajectory"}}};
  static const auto params = stochastic_params(
      "leapfrog step size; 0: by the curvature and the noise at the mode",
      {ParamSpec{.name = "leapfrog_steps",
                 .doc = "leapfrog steps a trajectory",
                 .type = ParamSpec::integer,
                 .init = "10",
                 .min = 1,
                 .max = 1e9},
       ParamSpec{.name = "metropolis",
                 .doc = "accept or reject by the full density: exact, at the price of passes over all data",
                 .type = ParamSpec::choice,
                 .init = "false",
                 .choices = metropolis_choices},
       ParamSpec{.name = "batch",
                 .doc = "the two half kicks at a point share a batch (per_gradient), have one each (per_half_kick), or "
                        "all kicks of a trajectory share one",
                 .type = ParamSpec::choice,
                 .init = "per_gradient",
                 .choices = batch_choices}});
  return params;
}

std::unique_ptr<Chain> make_sghmc_naive(std::unique_ptr<Target> target, const Config& config, const ChainSpec& spec) {
  StochasticSetup setup = stochastic_setup(*target, config);
  if (setup.step_is_auto) setup.step.size = setup.local.momentum_step();
  SghmcNaiveParams params;
  params.step = setup.step;
  params.leapfrog_steps = config.integer("leapfrog_steps");
  params.metropolis = config.text("metropolis") == "true";
  if (params.metropolis && depends_on_the_past(setup.estimator)) {
    throw UsageError(
        "metropolis=true is exact on independent batches only: not with batch_order=shuffled or estimator=svrg");
  }
  params.batch = chosen<SghmcNaiveParams::Batch>(config, "batch",
                                                 {{"per_gradient", SghmcNaiveParams::per_gradient},
                                                  {"per_half_kick", SghmcNaiveParams::per_half_kick},
                                                  {"per_trajectory", SghmcNaiveParams::per_trajectory}});
  return make_stochastic<SghmcNaive>(std::move(target), setup, params, spec);
}

}  // namespace quasar
