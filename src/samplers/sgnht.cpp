#include "kernels/thermostat/sgnht.hpp"

#include <quasar/errors.hpp>

#include "samplers/chosen.hpp"
#include "samplers/fisher_mass.hpp"
#include "samplers/mass_em_params.hpp"
#include "samplers/numbers.hpp"
#include "samplers/samplers.hpp"
#include "samplers/stochastic.hpp"
#include "samplers/thermostat_params.hpp"

namespace quasar {

namespace {

constexpr std::string_view variant_doc =
    "how the mass enters: a, right where the variance of the gradient is proportional to it; b, right where that is "
    "isotropic; printed, wrong unless all masses are equal";

std::vector<ParamSpec> params_with(std::string_view doc, std::span<const Choice> variants) {
  return stochastic_params(
      "e: p moves by e grad, x by e p/mass; 0: by the curvature and the noise at the mode",
      {ParamSpec{.name = "friction",
                 .doc = "A: noise of variance 2 A e is added and the thermostat starts there; 0: by the mode, or a "
                        "tenth of 1/step_size",
                 .type = ParamSpec::real,
                 .init = "0",
                 .min = 0,
                 .max = 1e100},
       learnable_mass_param,
       ParamSpec{.name = "variant", .doc = doc, .type = ParamSpec::choice, .init = "a", .choices = variants},
       steps_param, batch_param});
}

struct SgnhtSetup {
  StochasticSetup setup;
  SgnhtParams params;
};

SgnhtSetup sgnht_setup(Target& target, const Config& config) {
  StochasticSetup setup = stochastic_setup(target, config);
  SgnhtParams params;
  params.mass = diagonal_mass(masses(config, moving_block(target).size));
  if (setup.step_is_auto) setup.step.size = thermostat_step(setup.local, params.mass);
  params.step = setup.step;
  params.friction = config.real("friction");
  if (params.friction == 0) params.friction = setup.step_is_auto ? setup.local.friction() : 0.1 / setup.step.at(1);
  params.variant = chosen<SgnhtParams::Variant>(
      config, "variant", {{"a", SgnhtParams::a}, {"b", SgnhtParams::b}, {"printed", SgnhtParams::printed}});
  params.steps = config.integer("leapfrog_steps");
  params.hold_batch = config.text("batch") == "per_trajectory";
  return {std::move(setup), std::move(params)};
}

struct ThermostatByMode {
  bool friction_given;

  void operator()(Sgnht& kernel, SgnhtState& s, const LocalScale& local, const Vec&) const {
    if (local.mode.size() == 0) return;
    kernel.params().step.size = thermostat_step(local, MassMatrix(1, true));  // local has the mass in it
    if (!friction_given) s.xi = kernel.params().friction = local.friction();
  }
};

std::unique_ptr<Chain> make_sgnht_with_fisher_mass(std::unique_ptr<Target> target, SgnhtSetup made,
                                                   const Config& config, const ChainSpec& spec) {
  if (made.params.variant != SgnhtParams::a) {
    throw UsageError("mass=fisher is proportional to the noise: it needs variant=a");
  }
  return make_fisher<Sgnht>(std::move(target), std::move(made.setup), std::move(made.params), spec,
                            ThermostatByMode{config.real("friction") > 0});
}

}  // namespace

std::span<const ParamSpec> sgnht_params() {
  static constexpr std::array<Choice, 3> variants{{{"a"}, {"b"}, {"printed", Law::biased}}};
  static const auto params = params_with(variant_doc, variants);
  return params;
}

std::unique_ptr<Chain> make_sgnht(std::unique_ptr<Target> target, const Config& config, const ChainSpec& spec) {
  SgnhtSetup made = sgnht_setup(*target, config);
  if (learns_fisher_mass(config)) return make_sgnht_with_fisher_mass(std::move(target), std::move(made), config, spec);
  return make_stochastic<Sgnht>(std::move(target), made.setup, std::move(made.params), spec);
}

std::span<const ParamSpec> sgnht_em_params() {
  static constexpr std::array<Choice, 2> variants{{{"a"}, {"printed", Law::biased}}};
  static constexpr std::array<Choice, 2> freeze{{{"false"}, {"true", Law::consistent}}};
  static const auto params =
      mass_em_params(params_with("how the mass enters: a, for which there is one to be learned, proportional to the "
                                 "variance of the gradient; printed, whose mass runs away",
                                 variants),
                     freeze, {{"leapfrog_steps", "10"}});
  return params;
}

std::unique_ptr<Chain> make_sgnht_em(std::unique_ptr<Target> target, const Config& config, const ChainSpec& spec) {
  MassEmSetup em = mass_em_setup(config, *target, spec.schedule);
  SgnhtSetup made = sgnht_setup(*target, config);
  return make_stochastic_em<Sgnht>(std::move(target), made.setup, std::move(made.params), std::move(em), spec);
}

}  // namespace quasar
