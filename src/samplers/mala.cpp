#include "kernels/langevin/mala.hpp"

#include "samplers/adapted.hpp"
#include "samplers/samplers.hpp"

namespace quasar {

std::span<const ParamSpec> mala_params() {
  static constexpr std::array params{
      step_size_param("Langevin step e: drift e H grad, noise variance 2 e H; 0: learned in warm-up"),
      target_accept_param("0.574"), metric_param, memory_param};
  return params;
}

std::unique_ptr<Chain> make_mala(std::unique_ptr<Target> target, const Config& config, const ChainSpec& spec) {
  return make_adapted<Mala>(std::move(target), config, spec, [](auto&) {});
}

}  // namespace quasar
