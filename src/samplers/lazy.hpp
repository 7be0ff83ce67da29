// Whether a sampler takes lazy steps (kernels/lazy), by its parameter `lazy` and by what the model is.
#pragma once

#include <array>
#include <string_view>

#include <quasar/chain.hpp>
#include <quasar/config.hpp>
#include <quasar/core.hpp>

#include "samplers/stochastic.hpp"

namespace quasar {

inline constexpr std::array<Choice, 3> lazy_choices{{{"auto"}, {"yes"}, {"no"}}};
inline constexpr ParamSpec lazy_param{
    .name = "lazy",
    .doc =
        "move only the rows of parameters that a minibatch touches and let the others catch up by the law of the "
        "steps they have missed: the same law, less work. auto: where that can be done and pays",
    .type = ParamSpec::choice,
    .init = "auto",
    .choices = lazy_choices};

void refuse_lazy_steps(const Config& config, std::string_view obstacle);  // UsageError where they are asked for

// obstacle: why the sampler itself cannot, empty where it can.
bool takes_lazy_steps(Target& target, const Config& config, const StochasticSetup& setup, const ChainSpec& spec,
                      std::string_view obstacle);

}  // namespace quasar
