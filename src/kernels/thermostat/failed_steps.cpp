#include "kernels/thermostat/failed_steps.hpp"

#include <fmt/core.h>

#include <utility>

#include <quasar/errors.hpp>

namespace quasar {

std::int64_t FailedSteps::close(std::int64_t steps, double step_size) {
  idle = count == steps ? idle + 1 : 0;
  if (idle == most_idle_iterations) {
    throw Diverged(fmt::format(
        "the chain cannot move: no step of size {:.3g} could be made in {} iterations. Try a step_size ten times "
        "smaller, or a start elsewhere (--init)",
        step_size, idle));
  }
  return std::exchange(count, 0);
}

}  // namespace quasar
