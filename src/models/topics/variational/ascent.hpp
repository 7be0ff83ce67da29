// A few steps upwards of the two numbers of a Gamma or a Beta law, where the best have no closed form.
//
// A step follows the natural gradient, F^-1 times the gradient with the law's Fisher information F, which leads to the
// optimum at once where the objective is that of a conjugate law (Amari 1998; Knowles and Minka 2011). It is taken in
// the logarithms of the numbers and halved until the objective rises.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>

#include "models/topics/variational/laws.hpp"

namespace quasar {

using Slopes = std::array<double, 2>;

// F^-1 slopes, divided by the law's numbers: the direction in their logarithms.
Slopes natural_direction(const GammaLaw& law, const Slopes& slopes);
Slopes natural_direction(const BetaLaw& law, const Slopes& slopes);

inline GammaLaw scaled(const GammaLaw& law, double a, double b) { return {law.shape * a, law.rate * b}; }
inline BetaLaw scaled(const BetaLaw& law, double a, double b) { return {law.first * a, law.second * b}; }

// objective.value(law), -infinity where the law may not go, and objective.slopes(law)
template <class Law, class Objective>
Law ascended(Law law, const Objective& objective) {
  constexpr int steps = 5, halvings = 12;
  constexpr double longest = 2;  // in logarithms
  double value = objective.value(law);
  for (int step = 0; step < steps; ++step) {
    const Slopes direction = natural_direction(law, objective.slopes(law));
    const double length = std::max(std::abs(direction[0]), std::abs(direction[1]));
    if (!(length > 1e-12) || !std::isfinite(length)) return law;
    double factor = std::min(1.0, longest / length);
    bool rose = false;
    for (int halving = 0; halving < halvings && !rose; ++halving, factor /= 2) {
      const Law next = scaled(law, std::exp(factor * direction[0]), std::exp(factor * direction[1]));
      const double there = objective.value(next);
      rose = there > value;
      if (!rose) continue;
      law = next;
      value = there;
    }
    if (!rose) return law;
  }
  return law;
}

}  // namespace quasar
