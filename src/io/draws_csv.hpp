// Draws as a plain table, one row per draw: chain, draw, every element by its name (`theta[1]`, `beta[age]`), every
// statistic with two underscores behind it (`lp__`). Counts from 1; names are quoted as RFC 4180 says.
#pragma once

#include <quasar/layout.hpp>
#include <quasar/run_data.hpp>

#include "io/text_output.hpp"

namespace quasar {

// What was drawn after warm-up. DataError: it cannot be written.
void write_draws_csv(const Run& run, const Selection& selection, TextOutput& out);

}  // namespace quasar
