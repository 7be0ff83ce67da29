#include "samplers/schedule_params.hpp"

#include <fmt/core.h>

#include <array>

#include <quasar/errors.hpp>

#include "samplers/chosen.hpp"

namespace quasar {
namespace {

constexpr std::array<Choice, 5> schedule_choices{{{"constant"}, {"power"}, {"polynomial"}, {"blocks"}, {"cyclical"}}};

constexpr ParamSpec step_params[] = {
    {.name = "schedule",
     .doc = "of the step size at step t: constant; power (step_size/t)^decay; polynomial step_size (delay + t)^-decay; "
            "blocks: power, held for period steps; cyclical: a cosine from step_size to 0 every period steps",
     .type = ParamSpec::choice,
     .init = "constant",
     .choices = schedule_choices},
    {.name = "decay", .doc = "exponent of the schedule", .type = ParamSpec::real, .init = "0.51", .min = 0, .max = 1},
    {.name = "delay", .doc = "of the schedule polynomial, in steps", .type = ParamSpec::real, .init = "1", .min = 0},
    {.name = "period",
     .doc = "of the schedules blocks and cyclical, in steps",
     .type = ParamSpec::integer,
     .init = "100",
     .min = 1,
     .max = 1e12},
};

}  // namespace

std::span<const ParamSpec> schedule_params() { return step_params; }

StepSchedule schedule_of(const Config& config, double step_size) {
  StepSchedule step;
  step.kind = chosen<StepSchedule::Kind>(config, "schedule",
                                         {{"constant", StepSchedule::constant},
                                          {"power", StepSchedule::power},
                                          {"polynomial", StepSchedule::polynomial},
                                          {"blocks", StepSchedule::blocks},
                                          {"cyclical", StepSchedule::cyclical}});
  step.size = step_size;
  step.decay = config.real("decay");
  step.delay = config.real("delay");
  step.period = config.integer("period");
  return step;
}

void expect_step_size(const Config& config, const StepSchedule& step) {
  if (step.size > 0 || step.kind == StepSchedule::constant || step.kind == StepSchedule::cyclical) return;
  throw UsageError(fmt::format("schedule={} needs a step_size", config.text("schedule")));
}

}  // namespace quasar
