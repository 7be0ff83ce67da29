// The parameters of samplers whose steps are implicit, on a metric that follows the place.
#pragma once

#include <array>
#include <memory>
#include <utility>

#include <quasar/chain.hpp>
#include <quasar/config.hpp>
#include <quasar/core.hpp>

#include "adapt/warmup.hpp"
#include "core/kernel_chain.hpp"
#include "integrators/implicit_solver.hpp"
#include "integrators/riemannian_nose_poincare.hpp"
#include "samplers/adapted.hpp"
#include "samplers/chosen.hpp"
#include "samplers/geometry_params.hpp"
#include "samplers/thermostat_params.hpp"
#include "samplers/trajectory_params.hpp"

namespace quasar {

inline constexpr std::array<Choice, 3> solver_choices{{{"auto"}, {"newton"}, {"fixed_point"}}};
inline constexpr ParamSpec solver_param{"solver",
                                        "of the implicit steps; auto: in closed form where the metric is diag(1/x), "
                                        "else newton, or fixed_point for softabs "
                                        "by differences",
                                        ParamSpec::choice,
                                        "auto",
                                        -ParamSpec::inf,
                                        ParamSpec::inf,
                                        false,
                                        solver_choices};
inline constexpr ParamSpec fixed_iterations_param{
    .name = "fixed_iterations",
    .doc = "solve with exactly so many iterations, converged or not: the law is then biased; 0: until convergence",
    .type = ParamSpec::integer,
    .init = "0",
    .min = 0,
    .max = 1000,
    .changed_law = Law::biased};
inline constexpr ParamSpec check_reversal_param{
    .name = "check_reversal",
    .doc =
        "reject where the reverse of a step does not come back; false is faster, and exact only where solutions are "
        "unique",
    .type = ParamSpec::boolean,
    .init = "true",
    .changed_law = Law::biased};

inline constexpr std::array<Choice, 3> metric_exponent_choices{{{"0"}, {"1/D"}, {"1"}}};
inline constexpr ParamSpec metric_exponent_param{
    "metric_exponent",
    "a: the mass of the thermostat is thermostat_mass |G|^a; 1 as published, which freezes it where |G| is large",
    ParamSpec::choice,
    "0",
    -ParamSpec::inf,
    ParamSpec::inf,
    false,
    metric_exponent_choices};
// Newton takes fewer iterations and larger steps, but derivatives of the metric at every one, and those of SoftAbs by
// differences are dear.
inline ImplicitSettings::Method method_for(Target& target, const Geometry& geometry, const Config& config) {
  using Method = ImplicitSettings::Method;
  const std::string& solver = config.text("solver");
  if (solver == "newton") return Method::newton;
  if (solver == "fixed_point") return Method::fixed_point;
  if (geometry.reciprocal() && config.integer("fixed_iterations") == 0) return Method::closed_form;
  const bool cheap = takes_own_metric(target, config) || target.hessian() != nullptr;
  return cheap ? Method::newton : Method::fixed_point;
}

inline ImplicitSettings implicit_settings(Target& target, const Geometry& geometry, const Config& config,
                                          bool check_reversal) {
  return {method_for(target, geometry, config), config.integer("fixed_iterations"), check_reversal};
}

// The frictions excepted.
inline RiemannianThermostat metric_thermostat(const Config& config, Index dim) {
  const auto d = static_cast<double>(dim);
  RiemannianThermostat thermostat;
  thermostat.mass = thermostat_mass(config, dim);
  thermostat.exponent = chosen<double>(config, "metric_exponent", {{"0", 0}, {"1/D", 1 / d}, {"1", 1}});
  thermostat.temperature = config.real("temperature");
  thermostat.degrees = d;
  return thermostat;
}

// Trying a step size takes no fixed number of gradients here, so they are counted where they are spent.
class ImplicitWarmup : public StepSizeWarmup {
 public:
  using StepSizeWarmup::StepSizeWarmup;

  template <class K>
  std::int64_t begin(K& kernel, const Vec& x, typename K::State& s, const Rng& rng) {
    const std::int64_t before = s.flow.grad_evals();
    StepSizeWarmup::begin(kernel, x, s, rng);
    return s.flow.grad_evals() - before;
  }
};

// A kernel K with implicit trajectories; its step size is learned in warm-up, unless it is given.
template <class K>
std::unique_ptr<Chain> make_implicit(std::unique_ptr<Target> target, const Config& config, const ChainSpec& spec,
                                     typename K::Params params) {
  const StepSizeRule rule = step_size_rule(config);
  const std::shared_ptr<Geometry> geometry = geometry_for(*target, config);
  params.step_size = rule.first();
  set_trajectory(config, params);
  params.max_steps = 32;  // few are needed where the metric fits, and they are dear in early warm-up
  params.solver = implicit_settings(*target, *geometry, config, config.flag("check_reversal"));
  K kernel(*target, geometry, std::move(params));
  return std::make_unique<KernelChain<K, ImplicitWarmup>>(std::move(target), std::move(kernel),
                                                          ImplicitWarmup(rule.target_accept, rule.fixed()), spec);
}

}  // namespace quasar
