// quasar compare --samplers: runs of one model by several samplers, each of which may spend the same.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "compare/comparison.hpp"
#include "front/run_settings.hpp"
#include "io/toml_config.hpp"

namespace quasar::cli {

// What each chain may spend after warm-up: "20000" whole gradients, or "10s" seconds.
struct Budget {
  double amount = 0;
  bool in_seconds = false;
};

Budget parse_budget(const std::string& text);  // UsageError

struct SamplersRequest {
  std::vector<std::string> samplers;
  std::string budget;
  std::string out_dir;  // empty: compare-MODEL
  bool ksd = true;
  GivenSettings given;  // of the sampler: "nuts.max_depth", or "step_size" of all that have it
  std::optional<TomlConfig> file = std::nullopt;
  std::optional<std::string> page = std::nullopt;  // that is written when all is done
};

struct FailedRun {
  std::string sampler, why;
};

struct FinishedRuns {
  std::vector<NamedRun> runs;
  std::vector<FailedRun> failed;
  bool stopped = false;  // by the user
};

// Settings for one of the samplers: those that name it, and those without a name that it has. UsageError: a name that
// is none of the samplers', or a setting that none of them has.
GivenSettings settings_for(const std::string& sampler, const SamplersRequest& request);

// Everything is checked and a pilot of every sampler made before the first run starts.
FinishedRuns run_samplers(const SamplersRequest& request);

}  // namespace quasar::cli
