// Precisions of rows as coordinates: what is refused of them.
#pragma once

#include <string_view>

#include <quasar/core.hpp>

#include "models/gamma_precision.hpp"

namespace quasar {

Vec logs_of_precisions(In values);  // UsageError: one is not positive

[[noreturn]] void throw_run_away(std::string_view symptom);  // Diverged: the factors have, and what to do

// Diverged: a precision that was drawn is so small that its prior all but rules it out. The rows have run away then.
void expect_believable(double log_precision, const GammaPrior& prior);

}  // namespace quasar
