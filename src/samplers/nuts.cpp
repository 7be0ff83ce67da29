#include "kernels/hmc/nuts.hpp"

#include "samplers/adapted.hpp"
#include "samplers/samplers.hpp"

namespace quasar {

std::span<const ParamSpec> nuts_params() {
  static constexpr std::array params{
      step_size_param("leapfrog step size; 0: learned in warm-up"),
      ParamSpec{"max_depth", "a trajectory doubles at most this often", ParamSpec::integer, "10", 1, 24},
      target_accept_param("0.8"), metric_param, memory_param};
  return params;
}

std::unique_ptr<Chain> make_nuts(std::unique_ptr<Target> target, const Config& config, const ChainSpec& spec) {
  return make_adapted<Nuts>(std::move(target), config, spec,
                            [&](auto& params) { params.max_depth = config.integer("max_depth"); });
}

}  // namespace quasar
