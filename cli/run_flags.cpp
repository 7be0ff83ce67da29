#include "run_flags.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <initializer_list>

#include <quasar/errors.hpp>

#include "io/toml_config.hpp"
#include "param_flags.hpp"

namespace quasar::cli {
namespace {

// --set model.dim=10 is the model's, --set step_size=0.1 the sampler's.
GivenSettings parse_set(const std::vector<std::string>& assignments) {
  constexpr std::string_view model_prefix = "model.";
  GivenSettings set;
  for (const std::string& assignment : assignments) {
    const std::size_t equals = assignment.find('=');
    if (equals == std::string::npos || equals == 0) {
      throw UsageError(fmt::format("--set {}: expected name=value", assignment));
    }
    const std::string name = assignment.substr(0, equals), value = assignment.substr(equals + 1);
    const bool fresh = name.starts_with(model_prefix)
                           ? set.model.emplace(name.substr(model_prefix.size()), value).second
                           : set.sampler.emplace(name, value).second;
    if (!fresh) throw UsageError(fmt::format("--set {} is given twice", name));
  }
  return set;
}

// A table or a run where the configuration is expected: what a newcomer tries first.
void require_configuration(const std::string& path) {
  const auto ends = [&](std::initializer_list<std::string_view> endings) {
    return std::any_of(endings.begin(), endings.end(), [&](std::string_view one) { return path.ends_with(one); });
  };
  if (ends({".csv", ".csv.gz", ".tsv", ".txt", ".qpack", "-ubyte", "-ubyte.gz"})) {
    throw UsageError(
        fmt::format("{} is no configuration (TOML); a table goes to --data, with --model: quasar list models "
                    "shows them",
                    path));
  }
  if (ends({".nc", ".nc.part"})) {
    throw UsageError(
        fmt::format("{} is no configuration (TOML) but a run; quasar summary, diagnose, report and predict "
                    "take it",
                    path));
  }
}

std::string_view doc_of_set(Task task) {
  switch (task) {
    case Task::sample:
      return "a parameter of the sampler (name=value) or of the model (model.name=value)";
    case Task::compare:
      return "a parameter of one sampler (nuts.name=value), of all that have it (name=value) or of the model "
             "(model.name=value)";
    case Task::optimize:
      break;
  }
  return "a parameter of the model (model.name=value) or of a problem (name=value)";
}

}  // namespace

RunFlags::RunFlags(Task task) : task_(task), keys_(run_keys(task)) {}

void RunFlags::add_to(CLI::App& command) {
  command.add_option("config", config_file_, "TOML file with tables [run], [model], [sampler]; flags override it")
      ->type_name("CONFIG.TOML");
  add_flags_to(command);
}

void RunFlags::add_flags_to(CLI::App& command) {
  for (const ParamSpec& spec : keys_) {
    const std::string name(spec.name), flag = flag_of(spec.name);
    std::string& value = values_[name];
    if (spec.type == ParamSpec::boolean) {
      options_[name] = command
                           .add_flag_function(
                               flag, [](std::int64_t) {}, std::string(spec.doc))
                           ->multi_option_policy(CLI::MultiOptionPolicy::Throw)
                           ->disable_flag_override();
    } else {
      const std::string doc = fmt::format("{}{}", spec.doc, spec.init.empty() ? "" : fmt::format(" [{}]", spec.init));
      options_[name] = command.add_option(flag, value, doc)->type_name(value_of_flag(spec));
    }
  }
  command.add_option("--set", set_, std::string(doc_of_set(task_)))
      ->type_name("NAME=VALUE")
      ->expected(1)
      ->allow_extra_args(false)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
}

Settings RunFlags::given_run_keys() const {
  Settings given;
  for (const ParamSpec& spec : keys_) {
    const std::string name(spec.name);
    if (options_.at(name)->count() == 0) continue;
    given[name] = spec.type == ParamSpec::boolean ? "true" : values_.at(name);
  }
  return given;
}

GivenSettings RunFlags::given() const {
  GivenSettings given = parse_set(set_);
  given.run = given_run_keys();
  return given;
}

RunSettings RunFlags::resolve() const {
  const GivenSettings given = this->given();
  if (config_file_.empty()) return quasar::resolve(task_, given, nullptr);
  require_configuration(config_file_);
  const TomlConfig file = read_toml(config_file_);
  return quasar::resolve(task_, given, &file);
}

std::vector<std::string> RunFlags::inputs(const RunSettings& settings) const {
  std::vector<std::string> inputs = inputs_of(settings);
  inputs.push_back(config_file_);
  return inputs;
}

}  // namespace quasar::cli
