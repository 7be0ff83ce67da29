#include "kernels/thermostat/sgnht.hpp"

#include <quasar/errors.hpp>

#include "samplers/chosen.hpp"
#include "samplers/numbers.hpp"
#include "samplers/samplers.hpp"
#include "samplers/stochastic.hpp"

namespace quasar {

std::span<const ParamSpec> sgnht_params() {
  static constexpr std::array<Choice, 3> variants{{{"a"}, {"b"}, {"printed", Law::biased}}};
  static const auto params = stochastic_params(
      "e: p moves by e grad, x by e p/mass; 0: by the curvature and the noise at the mode",
      {ParamSpec{.name = "friction",
                 .doc = "A: noise of variance 2 A e is added and the thermostat starts there; 0: by the mode, or a "
                        "tenth of 1/step_size",
                 .type = ParamSpec::real,
                 .init = "0",
                 .min = 0,
                 .max = 1e100},
       ParamSpec{.name = "mass",
                 .doc = "diagonal of the mass: a number, or one for each coordinate (a,b,...)",
                 .type = ParamSpec::text,
                 .init = "1"},
       ParamSpec{.name = "variant",
                 .doc = "how the mass enters: a, right where the variance of the gradient is proportional to it; b, "
                        "right where that is isotropic; printed, wrong unless all masses are equal",
                 .type = ParamSpec::choice,
                 .init = "a",
                 .choices = variants}});
  return params;
}

std::unique_ptr<Chain> make_sgnht(std::unique_ptr<Target> target, const Config& config, const ChainSpec& spec) {
  StochasticSetup setup = stochastic_setup(*target, config);
  SgnhtParams params;
  params.mass = numbers(config, "mass", target->dim());
  if (!(params.mass.minCoeff() > 0)) throw UsageError("mass must be positive");
  // A thermostat may heat for a while: steps a third as long as with a friction that is always there.
  if (setup.step_is_auto) setup.step.size = setup.local.momentum_step() * std::sqrt(params.mass.minCoeff()) / 3;
  params.step = setup.step;
  params.friction = config.real("friction");
  if (params.friction == 0) params.friction = setup.step_is_auto ? setup.local.friction() : 0.1 / setup.step.at(1);
  params.variant = chosen<SgnhtParams::Variant>(
      config, "variant", {{"a", SgnhtParams::a}, {"b", SgnhtParams::b}, {"printed", SgnhtParams::printed}});
  return make_stochastic<Sgnht>(std::move(target), setup, std::move(params), spec);
}

}  // namespace quasar
