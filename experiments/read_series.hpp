// A series among the data sets of the experiments.
#pragma once

#include <string>

#include "models/sequences/sequences.hpp"

namespace quasar {

// UsageError: no folder was given. DataError
Sequences read_series(const std::string& data_dir, const std::string& file, const std::string& column);

}  // namespace quasar
