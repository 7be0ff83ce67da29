// What makes a run again: its settings as a command and as a configuration file, and hashes of what it read.
#pragma once

#include <nlohmann/json.hpp>

#include <string>

#include <quasar/run_data.hpp>

namespace quasar::report {

// The command of a shell, with the settings that are not the defaults. Empty: the run was not made by quasar sample.
std::string command_of(const RunInfo& info);

// TOML with every setting that was in effect and decides the draws; likewise empty.
std::string configuration_of(const RunInfo& info);

// Pairs of what was read and its hash; where settings do not tell everything, a pair that says so.
nlohmann::ordered_json hashes_of(const RunInfo& info);

}  // namespace quasar::report
