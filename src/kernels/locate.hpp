// The metric where a chain is. No step can start where there is none.
#pragma once

#include <quasar/errors.hpp>

#include "integrators/implicit_solver.hpp"

namespace quasar {

// Flow: an integrator on a metric; z.x and z.g are set.
template <class Flow>
void locate(Flow& flow, typename Flow::Point& z) {
  if (flow.locate(z) == StepFailure::none) return;
  throw RunError(
      "the metric is not positive definite where the chain is: start elsewhere (--init), or use another metric, "
      "geometry=softabs for instance");
}

}  // namespace quasar
