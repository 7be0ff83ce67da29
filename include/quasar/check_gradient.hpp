// quasar/check_gradient.hpp -- does a target's gradient belong to its log density? For authors of models.
//
//   Vec x = ...;
//   if (const auto check = check_gradient(target, x); !check.ok) std::cerr << check.message;
#pragma once

#include <string>

#include <quasar/core.hpp>
#include <quasar/rng.hpp>

namespace quasar {

struct GradientCheck {
  bool ok = false;
  double max_relative_error = 0;  // over coordinates, against differences of the log density
  Index worst_coordinate = 0;     // where that maximum is
  double slope = 0;               // 2 (or more) for a right gradient, 1 for a wrong one; NaN: logp is linear here
  Vec point;
  std::string message;  // one sentence: the verdict and the numbers behind it
};

// Two independent tests at x:
//  - the error |f(x + h u) - f(x) - h grad.u| along a random direction u falls like h^2;
//  - each partial derivative agrees with central differences, extrapolated to fourth order. Costs 4 dim() evaluations.
GradientCheck check_gradient(Target& target, In x, const Rng& rng = Rng(1));

// The same at random points, uniform(-2, 2) per coordinate, moved into the support where the target states one. Returns
// the first failure, or else the check with the largest error.
GradientCheck check_gradient_at_random(Target& target, const Rng& rng, int points = 5);

}  // namespace quasar
