#include "kernels/metropolis/rwm.hpp"

#include "samplers/adapted.hpp"
#include "samplers/samplers.hpp"

namespace quasar {

std::span<const ParamSpec> rwm_params() {
  static constexpr std::array params{
      step_size_param("standard deviation of a move, relative to the metric; 0: learned in warm-up"),
      target_accept_param("0.234"), metric_param, memory_param};
  return params;
}

std::unique_ptr<Chain> make_rwm(std::unique_ptr<Target> target, const Config& config, const ChainSpec& spec) {
  return make_adapted<Rwm>(std::move(target), config, spec, [](auto&) {});
}

}  // namespace quasar
