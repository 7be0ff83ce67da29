#include "samplers/mass_em_params.hpp"

#include <fmt/core.h>

#include <algorithm>

#include <quasar/errors.hpp>

#include "samplers/fisher_mass.hpp"

namespace quasar {

namespace {

constexpr std::array<Choice, 2> shapes{{{"dense"}, {"diagonal"}}};
constexpr std::array<Choice, 2> subsamples{{{"poisson"}, {"all"}}};

constexpr ParamSpec em_params[] = {
    {.name = "mass_shape",
     .doc = "what is learned: the whole mass matrix, or its diagonal",
     .type = ParamSpec::choice,
     .init = "dense",
     .choices = shapes},
    {.name = "em_samples",
     .doc = "S, momenta for an M-step, one an iteration; more than the coordinates and one, for a diagonal more than 2",
     .type = ParamSpec::integer,
     .init = "100",
     .min = 1,
     .max = 1e12},
    {.name = "em_exponent",
     .doc = "c of the weight k^-c of M-step k, which should be above 0.5; 0: 1/(k + 1)",
     .type = ParamSpec::real,
     .init = "0",
     .min = 0,
     .max = 1},
    {.name = "em_correction",
     .doc = "take out the factor S/(S - D - 1) by which an inverse covariance is too large on average",
     .type = ParamSpec::boolean,
     .init = "false"},
    {.name = "em_max_change",
     .doc = "in one M-step no mass grows or shrinks by more than this factor; 0: by any",
     .type = ParamSpec::real,
     .init = "0",
     .min = 0,
     .max = 1e100},
    {.name = "em_growth",
     .doc = "S grows by S/em_growth after an M-step whose change is lost in the noise; 0: never",
     .type = ParamSpec::integer,
     .init = "10",
     .min = 0,
     .max = 1e12},
    {.name = "em_alpha",
     .doc = "lost in the noise is what an interval of confidence 1 - em_alpha holds; at 1 nothing ever is",
     .type = ParamSpec::real,
     .init = "0.1",
     .min = 1e-10,
     .max = 1},
    {.name = "em_subsample",
     .doc = "momenta that make the interval: a few at random distances that grow, or all",
     .type = ParamSpec::choice,
     .init = "poisson",
     .choices = subsamples},
    {.name = "em_rate",
     .doc = "the s-th momentum for the interval comes 1 + Poisson(em_rate s^em_power) after the one before",
     .type = ParamSpec::real,
     .init = "1",
     .min = 0,
     .max = 1e6},
    {.name = "em_power", .doc = "see em_rate", .type = ParamSpec::real, .init = "2", .min = 0, .max = 10},
};

}  // namespace

std::vector<ParamSpec> mass_em_params(std::span<const ParamSpec> base, std::span<const Choice> freeze,
                                      std::initializer_list<std::pair<std::string_view, std::string_view>> inits) {
  std::vector<ParamSpec> all(base.begin(), base.end());
  std::replace_if(
      all.begin(), all.end(), [](const ParamSpec& p) { return p.name == first_mass_param.name; }, first_mass_param);
  for (const auto& init : inits) {
    std::find_if(all.begin(), all.end(), [&](const ParamSpec& p) { return p.name == init.first; })->init = init.second;
  }
  all.push_back({.name = "freeze",
                 .doc = "learn the mass in warm-up only; false goes on while drawing",
                 .type = ParamSpec::choice,
                 .init = "false",
                 .choices = freeze});
  all.insert(all.end(), std::begin(em_params), std::end(em_params));
  return all;
}

MassEmSetup mass_em_setup(const Config& config, const Target& target, const Schedule& schedule) {
  const Index dim = target.dim();
  expect_no_conditionals(target, "a sampler that learns its mass by EM");
  const bool diagonal = config.text("mass_shape") == "diagonal";
  if (learns_fisher_mass(config)) {
    throw UsageError(
        "mass=fisher is learned from minibatches, and this sampler learns its mass from momenta: give numbers to start "
        "from, or take sghmc, sgnht or sg-nphmc-canonical");
  }
  const Vec start = masses(config, dim);
  MassEmSetup setup{MassMatrix(dim, diagonal), {}};
  setup.mass.set(diagonal ? Mat(start) : Mat(start.asDiagonal()));
  MassEmSettings& em = setup.settings;
  em.samples = config.integer("em_samples");
  em.exponent = config.real("em_exponent");
  em.corrected = config.flag("em_correction");
  em.max_change = config.real("em_max_change");
  if (em.max_change > 0 && em.max_change <= 1) throw UsageError("em_max_change must be above 1, or 0");
  em.growth = config.integer("em_growth");
  em.alpha = config.real("em_alpha");
  em.subsample = config.text("em_subsample") == "poisson";
  em.rate = config.real("em_rate");
  em.power = config.real("em_power");
  if (config.text("freeze") == "true") em.iterations = schedule.warmup;
  if (em.iterations < em.samples) {
    throw UsageError(
        fmt::format("freeze=true learns the mass in warm-up only, and --warmup {} is less than em_samples={}: it would "
                    "learn nothing",
                    em.iterations, em.samples));
  }
  check_mass_em(em, dim, diagonal);
  return setup;
}

}  // namespace quasar
