// psgld, and rmsprop: the same without noise.
#include "kernels/langevin/psgld.hpp"

#include <cmath>

#include "samplers/chosen.hpp"
#include "samplers/samplers.hpp"
#include "samplers/stochastic.hpp"

namespace quasar {

namespace {

constexpr ParamSpec averaging_param{
    .name = "averaging",
    .doc = "a in v <- a v + (1 - a) m^2, m the mean gradient of the likelihood over the data",
    .type = ParamSpec::real,
    .init = "0.99",
    .min = 0,
    .max = 0.999999999};
constexpr ParamSpec regularization_param{.name = "regularization",
                                         .doc = "lambda in H = 1/(lambda + sqrt(v))",
                                         .type = ParamSpec::real,
                                         .init = "0.001",
                                         .min = 0,
                                         .max = 1e100,
                                         .exclusive_min = true};
constexpr ParamSpec update_first_param{.name = "update_first",
                                       .doc = "renew v before H is made of it, not after the move",
                                       .type = ParamSpec::boolean,
                                       .init = "false"};

PsgldParams params_from(const Config& config) {
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

std::unique_ptr<Chain> make(std::unique_ptr<Target> target, const Config& config, const ChainSpec& spec,
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
  PsgldParams params = params_from(config);
  params.correction = chosen<PsgldParams::Correction>(
      config, "correction", {{"none", PsgldParams::none}, {"full", PsgldParams::full}, {"ema", PsgldParams::ema}});
  return make(std::move(target), config, spec, params);
}

std::span<const ParamSpec> rmsprop_params() {
  static const auto params =
      stochastic_params("learning rate of the sum over data, before H; 0: by the curvature at the mode",
                        {averaging_param, regularization_param, update_first_param});
  return params;
}

std::unique_ptr<Chain> make_rmsprop(std::unique_ptr<Target> target, const Config& config, const ChainSpec& spec) {
  PsgldParams params = params_from(config);
  params.temperature = 0;
  return make(std::move(target), config, spec, params);
}

}  // namespace quasar
