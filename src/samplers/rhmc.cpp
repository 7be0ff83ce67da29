#include "kernels/hmc/rhmc.hpp"

#include "integrators/softabs_geometry.hpp"
#include "samplers/adapted.hpp"
#include "samplers/samplers.hpp"

namespace quasar {

namespace {

// Warm-up of the step size alone. Trying a step size takes no fixed number of gradients here, so they are counted where
// they are spent.
class StepSizeWarmup {
 public:
  StepSizeWarmup(double target_accept, bool fixed) : fixed_(fixed) { averaging_.target = target_accept; }

  std::int64_t begin(Rhmc& kernel, const Vec& x, Rhmc::State& s, const Rng& rng) {
    if (fixed_) return 0;
    const std::int64_t before = s.flow.grad_evals();
    find_step_size(kernel, x, s, rng);
    averaging_.restart(kernel.params().step_size);
    return s.flow.grad_evals() - before;
  }
  std::int64_t update(Rhmc& kernel, const Vec&, Rhmc::State&, const Rhmc::Info& info, const Rng&) {
    if (!fixed_) kernel.params().step_size = averaging_.update(info.accept_prob);
    return 0;
  }
  void finish(Rhmc& kernel, const Vec&, Rhmc::State&) {
    if (!fixed_ && averaging_.count > 0) kernel.params().step_size = averaging_.average();
  }
  static void fields(auto& self, auto&& visit) { visit("averaging", self.averaging_); }

 private:
  bool fixed_;
  DualAveraging averaging_;
};

std::shared_ptr<Geometry> geometry_for(Target& target, const Config& config) {
  Geometry* const own = config.text("geometry") == "auto" ? target.geometry() : nullptr;
  if (own != nullptr) return {std::shared_ptr<void>(), own};  // the target's, which outlives the kernel
  return std::make_shared<SoftAbsGeometry>(target, config.real("softabs_alpha"));
}

}  // namespace

std::span<const ParamSpec> rhmc_params() {
  static constexpr std::array<Choice, 2> geometry_choices{{{"auto"}, {"softabs"}}};
  static constexpr std::array<Choice, 2> solver_choices{{{"newton"}, {"fixed_point"}}};
  static constexpr std::array params{
      step_size_param("size of a generalised leapfrog step; 0: learned in warm-up"),
      ParamSpec{"leapfrog_steps", "steps a trajectory; 0: as many as integration_time takes", ParamSpec::integer, "0",
                0, 1e6},
      ParamSpec{"integration_time", "length of a trajectory where leapfrog_steps is 0", ParamSpec::real,
                "1.5707963267948966", 0, 1e6, true},
      ParamSpec{"jitter", "the step size of each trajectory is uniform within this fraction of step_size",
                ParamSpec::real, "0.1", 0, 0.99},
      ParamSpec{"geometry", "auto: the model's own metric, or softabs where it has none; softabs: from the Hessian",
                ParamSpec::choice, "auto", -ParamSpec::inf, ParamSpec::inf, false, geometry_choices},
      ParamSpec{"softabs_alpha", "hardness of softabs: curvatures below 1/softabs_alpha count as about that much",
                ParamSpec::real, "1", 0, 1e10, true},
      ParamSpec{"solver", "of the implicit steps", ParamSpec::choice, "newton", -ParamSpec::inf, ParamSpec::inf, false,
                solver_choices},
      ParamSpec{"fixed_iterations",
                "solve with exactly so many iterations, converged or not: the law is then biased; 0: until convergence",
                ParamSpec::integer, "0", 0, 1000},
      ParamSpec{"check_reversal",
                "reject where the reverse of a step does not come back; false is faster, and exact only "
                "where solutions are unique",
                ParamSpec::boolean, "true"},
      target_accept_param("0.95")};
  return params;
}

std::unique_ptr<Chain> make_rhmc(std::unique_ptr<Target> target, const Config& config, const ChainSpec& spec) {
  const bool fixed = config.real("step_size") > 0;
  Rhmc::Params params;
  params.step_size = fixed ? config.real("step_size") : 1.0;
  params.leapfrog_steps = config.integer("leapfrog_steps");
  params.integration_time = config.real("integration_time");
  params.jitter = config.real("jitter");
  params.solver.method =
      config.text("solver") == "newton" ? ImplicitSettings::Method::newton : ImplicitSettings::Method::fixed_point;
  params.solver.fixed_iterations = config.integer("fixed_iterations");
  params.solver.check_reversal = config.flag("check_reversal");
  Rhmc kernel(*target, geometry_for(*target, config), params);
  return std::make_unique<KernelChain<Rhmc, StepSizeWarmup>>(std::move(target), std::move(kernel),
                                                             StepSizeWarmup(config.real("target_accept"), fixed), spec);
}

}  // namespace quasar
