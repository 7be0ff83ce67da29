// The parameters of samplers that learn their mass by Monte Carlo EM, and what they make.
#pragma once

#include <initializer_list>
#include <memory>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include <quasar/chain.hpp>
#include <quasar/config.hpp>
#include <quasar/core.hpp>

#include "adapt/learned_mass.hpp"
#include "adapt/mass_em.hpp"
#include "core/kernel_chain.hpp"
#include "samplers/stochastic.hpp"

namespace quasar {

inline constexpr ParamSpec first_mass_param{
    .name = "mass",
    .doc = "diagonal of the mass at first: a number, or one for each coordinate (a,b,...)",
    .type = ParamSpec::text,
    .init = "1"};

// base, some of it with other defaults, freeze with the law of the sampler it stops to differ from, and the rest.
std::vector<ParamSpec> mass_em_params(std::span<const ParamSpec> base, std::span<const Choice> freeze,
                                      std::initializer_list<std::pair<std::string_view, std::string_view>> inits = {});

struct MassEmSetup {
  MassMatrix mass;
  MassEmSettings settings;
};
MassEmSetup mass_em_setup(const Config& config, const Target& target, const Schedule& schedule);

// A kernel K on estimated gradients, on the whole of x.
template <class K>
std::unique_ptr<Chain> make_stochastic_em(std::unique_ptr<Target> target, const StochasticSetup& setup,
                                          typename K::Params params, MassEmSetup em, const ChainSpec& spec) {
  const Block whole{0, target->dim()};
  params.mass = std::move(em.mass);
  LearnedMass<K> kernel(K(*target, whole, setup.estimator, std::move(params)), em.settings);
  return std::make_unique<KernelChain<LearnedMass<K>, NoAdaptation>>(std::move(target), std::move(kernel),
                                                                     NoAdaptation{}, near_mode(spec, setup));
}

}  // namespace quasar
