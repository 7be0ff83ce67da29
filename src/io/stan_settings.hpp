// The configuration of a run in CmdStan's words, for the head of a Stan CSV file and for the JSON beside it.
#pragma once

#include <nlohmann/json.hpp>

#include <string>
#include <vector>

#include <quasar/run_data.hpp>

namespace quasar {

// How Stan's readers take a chain. Trajectories have seven columns of statistics and a block about the adaptation;
// anything else is "fixed_param": lp__, accept_stat__, and the draws directly after the header.
struct StanShape {
  bool trajectories = false;
  struct Statistic {
    std::string column;
    Index position;  // among the statistics of the run; -1: the sampler has none
    double absent;   // what stands in its place then
  };
  std::vector<Statistic> statistics;
};

// UsageError: a sampler of trajectories whose tuning is not known yet.
StanShape stan_shape(const Run& run);

// One of unit_e, diag_e, dense_e, the only names that readers accept. The sampler's own is quasar_metric.
std::string stan_metric(const Run& run);

// An object in an object where CmdStan has an argument with arguments; {"value": "hmc", "hmc": {...}} where a choice
// has arguments.
nlohmann::ordered_json stan_settings(const Run& run, const StanShape& shape, Index chain);

// The same as lines: "# key = value", indented by depth.
std::string stan_comments(const nlohmann::ordered_json& settings);

}  // namespace quasar
