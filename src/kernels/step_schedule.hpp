// The step size of step t = 1, 2, ...: constant, or falling so that the bias of a stochastic-gradient sampler vanishes.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numbers>

namespace quasar {

// With sum e_t = inf and sum e_t^2 < inf (decay in (1/2, 1]) averages weighted by e_t converge (Teh et al. 2016).
struct StepSchedule {
  enum Kind {
    constant,    // a
    power,       // (a/t)^decay
    polynomial,  // a (delay + t)^-decay
    blocks,      // power, held for `period` steps: t is the first step of the block
    cyclical,    // a/2 (1 + cos(pi u)), u in [0, 1) the part of a period of `period` steps that is over
  };
  Kind kind = constant;
  double size = 0.01;  // a
  double decay = 0.51;
  double delay = 0;
  std::int64_t period = 1;

  double at(std::int64_t t) const {
    const auto step = static_cast<double>(t);
    const auto into_period = static_cast<double>((t - 1) % period);
    switch (kind) {
      case power:
        return std::pow(size / step, decay);
      case polynomial:
        return size * std::pow(delay + step, -decay);
      case blocks:
        return std::pow(size / (step - into_period), decay);
      case cyclical:
        return size / 2 * (1 + std::cos(std::numbers::pi * into_period / static_cast<double>(period)));
      case constant:
        break;
    }
    return size;
  }

  static void fields(auto& self, auto&& visit) { visit("size", self.size); }
};

}  // namespace quasar
