// What a command that works on a model is asked to do: defaults, then a configuration file, then flags and --set, each
// overriding the one before; checked against one description of every key before any work starts. One file serves all
// such commands: each takes the keys of [run] that are its own.
#pragma once

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <map>
#include <memory>
#include <string>
#include <vector>

#include <quasar/config.hpp>
#include <quasar/registry.hpp>

namespace quasar::cli {

enum class Task { sample, optimize };

struct RunSettings {
  Config run;
  const ModelEntry* model;
  const SamplerEntry* sampler = nullptr;  // to sample only
  Config model_parameters, sampler_parameters;

  nlohmann::ordered_json to_json() const;  // the effective configuration
};

// The flags as typed; empty texts were not given.
class RunFlags {
 public:
  explicit RunFlags(Task task);
  void add_to(CLI::App& command);
  RunSettings resolve() const;  // UsageError, DataError

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
