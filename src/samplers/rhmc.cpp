#include "kernels/hmc/rhmc.hpp"

#include "samplers/riemannian_params.hpp"
#include "samplers/samplers.hpp"

namespace quasar {

std::span<const ParamSpec> rhmc_params() {
  static constexpr std::array params{step_size_param("size of a generalised leapfrog step; 0: learned in warm-up"),
                                     leapfrog_steps_param,
                                     integration_time_param(quarter_period),
                                     jitter_param,
                                     geometry_param,
                                     softabs_alpha_param,
                                     solver_param,
                                     fixed_iterations_param,
                                     check_reversal_param,
                                     target_accept_param("0.95")};
  return params;
}

std::unique_ptr<Chain> make_rhmc(std::unique_ptr<Target> target, const Config& config, const ChainSpec& spec) {
  return make_implicit<Rhmc>(std::move(target), config, spec, {});
}

}  // namespace quasar
