// Parameters in the order in which they are worth a look.
#pragma once

#include <vector>

#include "front/run_summary.hpp"

namespace quasar::report {

// Those that a problem names come first, the gravest problem's before the next one's; then the others by how near their
// R-hat and ESS come to the limits. What is undefined comes last.
std::vector<Index> worst_first(const RunSummary& summary);

}  // namespace quasar::report
