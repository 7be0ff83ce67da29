#include "kernels/hmc/qnhmc_naive.hpp"

#include "samplers/adapted.hpp"
#include "samplers/quasi_newton.hpp"
#include "samplers/samplers.hpp"
#include "samplers/trajectory_params.hpp"

namespace quasar {

std::span<const ParamSpec> qnhmc_naive_params() {
  static constexpr std::array<Choice, 2> metropolis_choices{{{"true"}, {"false", Law::biased}}};
  static constexpr std::array params{
      ParamSpec{"step_size", "leapfrog step size; not learned: no step is small enough for a given acceptance",
                ParamSpec::real, "0.1", 0, 1e10, true},
      leapfrog_steps_param,
      integration_time_param(quarter_period),
      jitter_param,
      ParamSpec{"metropolis", "accept or reject; false keeps every proposal, and the law is another", ParamSpec::choice,
                "true", -ParamSpec::inf, ParamSpec::inf, false, metropolis_choices},
      quasi_newton_memory_param};
  return params;
}

std::unique_ptr<Chain> make_qnhmc_naive(std::unique_ptr<Target> target, const Config& config, const ChainSpec& spec) {
  const Index dim = moving_block(*target).size;
  const StepSizeRule rule{config.real("step_size"), 1};  // given, so that no acceptance is aimed at
  return with_curvature(dim, config, [&]<class Metric>(Metric metric) {
    return make_learning<NaiveQnhmc<Metric>, CurvatureMass<Metric>>(
        std::move(target), rule, spec, std::move(metric), [&](auto& params) {
          set_trajectory(config, params);
          params.metropolis = config.text("metropolis") == "true";
        });
  });
}

}  // namespace quasar
