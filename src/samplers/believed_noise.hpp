// The parameter noise_variance of samplers that believe something about the noise of their gradients.
#pragma once

#include <quasar/config.hpp>

#include "kernels/believed_noise.hpp"
#include "samplers/stochastic.hpp"

namespace quasar {

inline constexpr ParamSpec noise_variance_param{
    .name = "noise_variance",
    .doc = "V, the variance of the gradient estimate: learned, a number, or one for each coordinate (a,b,...)",
    .type = ParamSpec::text,
    .init = "learned"};

// Where it is learned the estimator is told to.
BelievedNoise believed_noise(const Config& config, StochasticSetup& setup, Index dim);

}  // namespace quasar
