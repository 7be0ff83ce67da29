// What the Nose-Poincare kernels on estimated gradients share: several steps an iteration, and how long a batch serves.
#pragma once

#include <cstdint>

#include "kernels/stochastic.hpp"

namespace quasar {

struct StochasticTrajectoryParams : StochasticParams {
  std::int64_t leapfrog_steps = 10;  // an iteration
  enum Batch {
    per_half_kick,   // the two half kicks at a point have a batch each
    per_gradient,    // they share one
    per_trajectory,  // all share one
  };
  Batch batch = per_gradient;
};

// The energy is a part of the dynamics of q: it is estimated too.
inline EstimatorSettings with_values(EstimatorSettings settings) {
  settings.want = Want::both;
  return settings;
}

}  // namespace quasar
