// psgld, and rmsprop: the same without noise.
#include "kernels/langevin/psgld.hpp"

#include <cmath>

#include "samplers/chosen.hpp"
#include "samplers/psgld_params.hpp"
#include "samplers/samplers.hpp"
#include "samplers/stochastic.hpp"

namespace quasar {

namespace {

PsgldParams psgld_params_in(const Config& config) {
  PsgldParams params;
  params.averaging = config.real("averaging");
  params.regularization = config.real("regularization");
  params.update_first = config.flag("update_first");
  return params;
}

// Where v has settled, sqrt(v) is about the standard deviation of the mean gradient: sqrt(curvature + noise) / N.
double auto_step(const LocalScale& local, double regularization, Target& target) {
  const auto* sum = dynamic_cast<FiniteSum*>(&target);
  const double terms = sum ? static_cast<double>(sum->terms()) : 1;
  return local.langevin_step(1 / (regularization + std::sqrt(local.curvature + local.noise) / terms));
}

std::unique_ptr<Chain> make_psgld_chain(std::unique_ptr<Target> target, const Config& config, const ChainSpec& spec,
                                        PsgldParams params) {
  StochasticSetup setup = stochastic_setup(*target, config);
  if (setup.step_is_auto) setup.step.size = auto_step(setup.local, params.regularization, *target);
  params.step = setup.step;
  return make_stochastic<Psgld>(std::move(target), setup, params, spec);
}

}  // namespace

std::span<const ParamSpec> psgld_params() {
  static constexpr std::array<Choice, 3> corrections{{{"none"}, {"full", Law::consistent}, {"ema"}}};
  static const auto params = stochastic_params(
      "Langevin step e: drift e H grad, noise variance 2 e H; 0: by the curvature at the mode",
      {averaging_param, regularization_param, update_first_param,
       ParamSpec{.name = "correction",
                 .doc = "the divergence of H in the drift: none, full (one more gradient a step), ema (the part of the "
                        "newest gradient, which does not mend the law)",
                 .type = ParamSpec::choice,
                 .init = "none",
                 .choices = corrections}});
  return params;
}

std::unique_ptr<Chain> make_psgld(std::unique_ptr<Target> target, const Config& config, const ChainSpec& spec) {
  PsgldParams params = psgld_params_in(config);
  params.correction = chosen<PsgldParams::Correction>(
      config, "correction", {{"none", PsgldParams::none}, {"full", PsgldParams::full}, {"ema", PsgldParams::ema}});
  return make_psgld_chain(std::move(target), config, spec, params);
}

std::span<const ParamSpec> rmsprop_params() {
  static const auto params =
      stochastic_params("learning rate of the sum over data, before H; 0: by the curvature at the mode",
                        {averaging_param, regularization_param, update_first_param});
  return params;
}

std::unique_ptr<Chain> make_rmsprop(std::unique_ptr<Target> target, const Config& config, const ChainSpec& spec) {
  PsgldParams params = psgld_params_in(config);
  params.temperature = 0;
  return make_psgld_chain(std::move(target), config, spec, params);
}

}  // namespace quasar
