// What the commands that end with a summary share.
#pragma once

#include "front/run_summary.hpp"

namespace quasar::cli {

void print_warnings(const RunSummary& summary);  // to standard error

}  // namespace quasar::cli
