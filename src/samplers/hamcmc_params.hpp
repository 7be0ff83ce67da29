// The parameters of members that take turns and of the pairs they leave, which hamcmc and dhamcmc share.
#pragma once

#include <array>

#include <quasar/config.hpp>

#include "kernels/langevin/hamcmc.hpp"

namespace quasar {

inline constexpr std::string_view hamcmc_step_doc =
    "Langevin step e: drift e H grad, noise variance 2 e H; 0: a tenth, less for noisy gradients";
inline constexpr double noisy_curvature = 1e-3;  // least curvature of a pair from estimated gradients

inline constexpr ParamSpec members_memory_param{
    .name = "memory",
    .doc = "members that take turns; each moves by the pairs of the others, memory - 1 of them",
    .type = ParamSpec::integer,
    .init = "3",
    .min = 2,
    .max = Hamcmc::most_members};
inline constexpr std::array<Choice, 2> pair_choices{{{"random"}, {"printed", Law::biased, "freeze=true"}}};
inline constexpr ParamSpec pairs_param{
    .name = "pairs",
    .doc = "curvature is learned along random directions, or along the moves as printed",
    .type = ParamSpec::choice,
    .init = "random",
    .choices = pair_choices};
inline constexpr ParamSpec freeze_pairs_param{.name = "freeze",
                                              .doc = "keep H after warm-up: one gradient a step instead of two",
                                              .type = ParamSpec::boolean,
                                              .init = "true"};
inline constexpr ParamSpec initial_scale_param{
    .name = "initial_scale",
    .doc = "gamma, the multiple of the identity that L-BFGS starts from; 0: s'y/y'y of the newest pair",
    .type = ParamSpec::real,
    .init = "0",
    .min = 0,
    .max = 1e100};
inline constexpr ParamSpec shift_param{.name = "shift",
                                       .doc = "lambda, added to the curvature of every pair: y <- y + lambda s",
                                       .type = ParamSpec::real,
                                       .init = "0",
                                       .min = 0,
                                       .max = 1e100};

}  // namespace quasar
