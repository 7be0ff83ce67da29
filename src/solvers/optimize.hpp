// The mode of a target: the highest point of its log density, in the coordinates that samplers move in.
#pragma once

#include <cstdint>
#include <limits>
#include <string_view>

#include <quasar/core.hpp>

namespace quasar {

enum class StopReason {
  converged,        // the gradient is as small as was asked for
  iteration_limit,  // it is not yet, after as many iterations or gradients as were allowed
  precision,        // it is not, but no step changes the log density beyond its rounding
};
std::string_view to_string(StopReason reason);

struct OptimizeOptions {
  enum Method { lbfgs, gradient_descent };
  Method method = lbfgs;
  std::int64_t max_iterations = 1000;
  std::int64_t max_gradients = std::numeric_limits<std::int64_t>::max();  // passed by no more than one line search
  double tolerance = 1e-6;                                                // of the gradient's norm
  Index memory = 10;                                                      // pairs of L-BFGS
  double curvature = 0.9;  // c2 of its line search: less gives fewer iterations of more gradients each
};

struct Optimum {
  Vec x;
  double logp, gradient_norm;
  std::int64_t iterations, gradients;
  StopReason stop;
};

// RunError: no finite density at the start, or one that rises without bound or up to the edge of where it is finite.
Optimum optimize(Target& target, const Vec& start, const OptimizeOptions& options = {});

}  // namespace quasar
