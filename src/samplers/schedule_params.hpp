// The parameters of a schedule of step sizes.
#pragma once

#include <span>

#include <quasar/config.hpp>

#include "kernels/step_schedule.hpp"

namespace quasar {

std::span<const ParamSpec> schedule_params();
StepSchedule schedule_of(const Config& config, double step_size);
// UsageError: step sizes that fall by a power need a first one, and 0 leaves it to the sampler.
void expect_step_size(const Config& config, const StepSchedule& step);

}  // namespace quasar
