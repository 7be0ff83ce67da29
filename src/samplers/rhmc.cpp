#include "kernels/hmc/rhmc.hpp"

#include "samplers/adapted.hpp"
#include "samplers/geometry_params.hpp"
#include "samplers/samplers.hpp"
#include "samplers/trajectory_params.hpp"

namespace quasar {

namespace {

// Trying a step size takes no fixed number of gradients here, so they are counted where they are spent.
class RhmcWarmup : public StepSizeWarmup {
 public:
  using StepSizeWarmup::StepSizeWarmup;
  std::int64_t begin(Rhmc& kernel, const Vec& x, Rhmc::State& s, const Rng& rng) {
    const std::int64_t before = s.flow.grad_evals();
    StepSizeWarmup::begin(kernel, x, s, rng);
    return s.flow.grad_evals() - before;
  }
};

// Newton takes fewer iterations and larger steps, but derivatives of the metric at every one, and those of SoftAbs by
// differences are dear.
ImplicitSettings::Method method_for(Target& target, const Config& config) {
  const std::string& solver = config.text("solver");
  const bool cheap = takes_own_metric(target, config) || target.hessian() != nullptr;
  const bool newton = solver == "newton" || (solver == "auto" && cheap);
  return newton ? ImplicitSettings::Method::newton : ImplicitSettings::Method::fixed_point;
}

}  // namespace

std::span<const ParamSpec> rhmc_params() {
  static constexpr std::array<Choice, 3> solver_choices{{{"auto"}, {"newton"}, {"fixed_point"}}};
  static constexpr std::array params{
      step_size_param("size of a generalised leapfrog step; 0: learned in warm-up"),
      leapfrog_steps_param,
      integration_time_param(quarter_period),
      jitter_param,
      geometry_param,
      softabs_alpha_param,
      ParamSpec{"solver", "of the implicit steps; auto: newton, or fixed_point for softabs by differences",
                ParamSpec::choice, "auto", -ParamSpec::inf, ParamSpec::inf, false, solver_choices},
      ParamSpec{
          .name = "fixed_iterations",
          .doc =
              "solve with exactly so many iterations, converged or not: the law is then biased; 0: until convergence",
          .type = ParamSpec::integer,
          .init = "0",
          .min = 0,
          .max = 1000,
          .changed_law = Law::biased},
      ParamSpec{.name = "check_reversal",
                .doc = "reject where the reverse of a step does not come back; false is faster, and exact only where "
                       "solutions are unique",
                .type = ParamSpec::boolean,
                .init = "true",
                .changed_law = Law::biased},
      target_accept_param("0.95")};
  return params;
}

std::unique_ptr<Chain> make_rhmc(std::unique_ptr<Target> target, const Config& config, const ChainSpec& spec) {
  const StepSizeRule rule = step_size_rule(config);
  Rhmc::Params params;
  params.step_size = rule.first();
  set_trajectory(config, params);
  params.max_steps = 32;  // few are needed where the metric fits, and they are dear in early warm-up
  params.solver.method = method_for(*target, config);
  params.solver.fixed_iterations = config.integer("fixed_iterations");
  params.solver.check_reversal = config.flag("check_reversal");
  Rhmc kernel(*target, geometry_for(*target, config), params);
  return std::make_unique<KernelChain<Rhmc, RhmcWarmup>>(std::move(target), std::move(kernel),
                                                         RhmcWarmup(rule.target_accept, rule.fixed()), spec);
}

}  // namespace quasar
