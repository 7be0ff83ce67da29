// The page of a run.
#pragma once

#include <string>

#include <quasar/run_data.hpp>

namespace quasar {

std::string report_page(const Run& run);

}  // namespace quasar
