// The parameters of H = diag 1/(lambda + sqrt(v)), which psgld, rmsprop and dpsgld share.
#pragma once

#include <quasar/config.hpp>

namespace quasar {

inline constexpr ParamSpec averaging_param{
    .name = "averaging",
    .doc = "a in v <- a v + (1 - a) m^2, m the mean gradient of the likelihood over the data",
    .type = ParamSpec::real,
    .init = "0.99",
    .min = 0,
    .max = 0.999999999};
inline constexpr ParamSpec regularization_param{.name = "regularization",
                                                .doc = "lambda in H = 1/(lambda + sqrt(v))",
                                                .type = ParamSpec::real,
                                                .init = "0.001",
                                                .min = 0,
                                                .max = 1e100,
                                                .exclusive_min = true};
inline constexpr ParamSpec update_first_param{.name = "update_first",
                                              .doc = "renew v before H is made of it, not after the move",
                                              .type = ParamSpec::boolean,
                                              .init = "false"};

}  // namespace quasar
