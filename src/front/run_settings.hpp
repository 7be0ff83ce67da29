// What a front end is asked to do with a model: defaults, then a configuration file, then flags or keyword arguments,
// each overriding the one before; checked against one description of every key before any work starts. One file serves
// all tasks: each takes the keys of [run] that are its own.
#pragma once

#include <nlohmann/json.hpp>

#include <string>
#include <vector>

#include <quasar/config.hpp>
#include <quasar/registry.hpp>
#include <quasar/sample.hpp>

#include "io/toml_config.hpp"

namespace quasar {

// compare: samplers on one model, each of which is then a sample task of its own.
enum class Task { sample, compare, optimize };

std::vector<ParamSpec> run_keys(Task task);

struct GivenSettings {  // as a user wrote them
  Settings run, model, sampler;
};

struct RunSettings {
  Config run;
  const ModelEntry* model = nullptr;      // null: none was named
  const SamplerEntry* sampler = nullptr;  // to sample only
  Config model_parameters, sampler_parameters;

  nlohmann::ordered_json to_json() const;  // the effective configuration
};

RunSettings resolve(Task task, const GivenSettings& given, const TomlConfig* file);  // UsageError

// What a run reads, as it was given: nothing that it writes may be one of them. Some may be empty, or no files.
std::vector<std::string> inputs_of(const RunSettings& settings);

// Into how many shards the sum over data is split (estimators/sharded_sum.hpp); 0: it is not.
int shards_of(const RunSettings& settings);
void check_shards(const RunSettings& settings, int ranks);  // UsageError: so many ranks cannot share them

SampleOptions sample_options(const Config& run);  // all but the initial points

}  // namespace quasar
