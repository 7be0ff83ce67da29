// The published experiments, one function each: what the registry lists.
#pragma once

#include <quasar/registry.hpp>

namespace quasar {

ExperimentResult run_sghmc_double_well(const ExperimentOptions& options);

}  // namespace quasar
