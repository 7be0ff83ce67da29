// Statistics of the steps as the run went on: step size, acceptance, and whatever else the sampler says of a step.
#pragma once

#include <nlohmann/json.hpp>

#include <quasar/run_data.hpp>

namespace quasar::report {

// Each as averages over blocks of successive draws, because single steps hide the trend; a truth value becomes a share.
// Statistics that never change are left out, but for the step size and the acceptance rate.
nlohmann::ordered_json steps_over_time(const Run& run);

}  // namespace quasar::report
