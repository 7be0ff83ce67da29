// The momentum form of the parameters of sghmc, which dsghmc shares: eta = e^2 and alpha = e C.
#pragma once

#include <cmath>

#include <quasar/config.hpp>
#include <quasar/errors.hpp>

namespace quasar {

inline constexpr double default_momentum_decay = 0.1;
inline constexpr ParamSpec learning_rate_param{.name = "learning_rate",
                                               .doc = "eta = e^2, instead of step_size",
                                               .type = ParamSpec::real,
                                               .init = "0",
                                               .min = 0,
                                               .max = 1e100};
inline constexpr ParamSpec momentum_decay_param{
    .name = "momentum_decay",
    .doc = "alpha = e C, instead of friction; 1 is Langevin dynamics without memory. 0: a tenth, or by the mode",
    .type = ParamSpec::real,
    .init = "0",
    .min = 0,
    .max = 1};

inline double momentum_step_size(const Config& config) {  // 0: auto
  const double step = config.real("step_size"), rate = config.real("learning_rate");
  if (rate > 0 && step > 0) throw UsageError("step_size and learning_rate are two words for one thing");
  return rate > 0 ? std::sqrt(rate) : step;
}

}  // namespace quasar
