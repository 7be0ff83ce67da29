// The flags of a command that works on a model.
#pragma once

#include <CLI/CLI.hpp>

#include <map>
#include <string>
#include <vector>

#include "front/run_settings.hpp"

namespace quasar::cli {

// The flags as typed; empty texts were not given.
class RunFlags {
 public:
  explicit RunFlags(Task task);
  void add_to(CLI::App& command);
  void add_flags_to(CLI::App& command);  // all but the configuration file
  GivenSettings given() const;           // UsageError
  RunSettings resolve() const;           // UsageError, DataError
  bool has_file() const { return !config_file_.empty(); }
  std::vector<std::string> inputs(const RunSettings& settings) const;  // see inputs_of, and the configuration file

 private:
  Settings given_run_keys() const;

  Task task_;
  std::vector<ParamSpec> keys_;  // of [run], for this task
  std::string config_file_;
  std::vector<std::string> set_;
  std::map<std::string, std::string> values_;
  std::map<std::string, CLI::Option*> options_;
};

}  // namespace quasar::cli
