// The model that a run names, on its data.
#pragma once

#include <memory>
#include <string>

#include <quasar/core.hpp>

#include "run_settings.hpp"

namespace quasar::cli {

struct LoadedModel {
  std::unique_ptr<Target> target;
  std::string data_hash;  // empty without data
};

LoadedModel load_model(const RunSettings& settings);  // UsageError, DataError

}  // namespace quasar::cli
