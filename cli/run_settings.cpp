#include "run_settings.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <optional>

#include <quasar/errors.hpp>
#include <quasar/registry.hpp>

#include "check.hpp"
#include "io/json_text.hpp"
#include "io/toml_config.hpp"

namespace quasar::cli {
namespace {

constexpr ParamSpec model_keys[] = {
    {.name = "model", .doc = "a model; see quasar list models", .type = ParamSpec::text},
    {.name = "data",
     .doc = "CSV file with a header line, .gz allowed, or a table made by quasar pack",
     .type = ParamSpec::text},
    {.name = "init",
     .doc = "start from a JSON file of values, or from the last draws of a run file",
     .type = ParamSpec::text},
    {.name = "seed", .doc = "random seed", .type = ParamSpec::integer, .init = "1", .min = 0, .max = 9e15},
    {.name = "prior_only", .doc = "leave the likelihood out", .type = ParamSpec::boolean, .init = "false"},
};

constexpr ParamSpec sample_keys[] = {
    {.name = "sampler", .doc = "a sampler; see quasar list samplers", .type = ParamSpec::text, .init = "nuts"},
    {.name = "chains",
     .doc = "independent chains, or ensembles of them",
     .type = ParamSpec::integer,
     .init = "4",
     .min = 1,
     .max = 1e5},
    {.name = "warmup",
     .doc = "iterations that tune, then are dropped",
     .type = ParamSpec::integer,
     .init = "1000",
     .min = 0,
     .max = 1e12},
    {.name = "draws",
     .doc = "iterations after warm-up, before thinning",
     .type = ParamSpec::integer,
     .init = "1000",
     .min = 1,
     .max = 1e12},
    {.name = "batch_size",
     .doc = "terms in a minibatch of a stochastic-gradient sampler, short for --set batch_size=N",
     .type = ParamSpec::integer,
     .init = "0",
     .min = 0,
     .max = 1e15},
    {.name = "tune",
     .doc = "choose step_size and batch_size of a stochastic-gradient sampler by trying",
     .type = ParamSpec::boolean,
     .init = "false"},
    {.name = "thin", .doc = "keep every n-th draw", .type = ParamSpec::integer, .init = "1", .min = 1, .max = 1e12},
    {.name = "threads",
     .doc = "threads; 0: one per core. The draws do not depend on it",
     .type = ParamSpec::integer,
     .init = "0",
     .min = 0,
     .max = 4096},
    {.name = "out", .doc = "run file to write (netCDF, ArviZ schema)", .type = ParamSpec::text, .init = "run.nc"},
    {.name = "overwrite",
     .doc = "replace an existing run file, discard an unfinished run",
     .type = ParamSpec::boolean,
     .init = "false"},
    {.name = "resume",
     .doc = "go on with a run that was killed or stopped: the draws are those of an uninterrupted one, bit for bit",
     .type = ParamSpec::boolean,
     .init = "false"},
    {.name = "checkpoint_every",
     .doc = "iterations between checkpoints; 0: about ten seconds",
     .type = ParamSpec::integer,
     .init = "0",
     .min = 0,
     .max = 1e12},
    {.name = "save_warmup", .doc = "keep the warm-up draws too", .type = ParamSpec::boolean, .init = "false"},
    {.name = "variables", .doc = "keep these variables only, separated by commas", .type = ParamSpec::text},
    {.name = "check",
     .doc = "compare with a short run of nuts (exact), measure by kernel Stein discrepancy (ksd), or both (exact,ksd)",
     .type = ParamSpec::choice,
     .init = "none",
     .choices = checks},
    {.name = "quiet", .doc = "no progress, no table", .type = ParamSpec::boolean, .init = "false"},
};

constexpr Choice methods[] = {{"lbfgs"}, {"gradient_descent"}};

constexpr ParamSpec optimize_keys[] = {
    {.name = "method",
     .doc = "lbfgs or gradient_descent",
     .type = ParamSpec::choice,
     .init = "lbfgs",
     .choices = methods},
    {.name = "max_iterations",
     .doc = "stop after so many",
     .type = ParamSpec::integer,
     .init = "1000",
     .min = 0,
     .max = 1e12},
    {.name = "tolerance",
     .doc = "stop when the gradient's norm is no greater",
     .type = ParamSpec::real,
     .init = "1e-6",
     .min = 0},
};

std::vector<ParamSpec> join(std::initializer_list<std::span<const ParamSpec>> lists) {
  std::vector<ParamSpec> all;
  for (const auto& list : lists) all.insert(all.end(), list.begin(), list.end());
  return all;
}

std::span<const ParamSpec> own_keys(Task task) {
  return task == Task::sample ? std::span<const ParamSpec>(sample_keys) : std::span<const ParamSpec>(optimize_keys);
}

std::string_view type_shown(ParamSpec::Type type) {
  return type == ParamSpec::integer ? "N" : type == ParamSpec::real ? "X" : "TEXT";
}

std::string flag_of(std::string_view name) {
  std::string flag = "--" + std::string(name);
  std::replace(flag.begin(), flag.end(), '_', '-');
  return flag;
}

struct SetFlags {
  Settings model, sampler;
};

// --set model.dim=10 is the model's, --set step_size=0.1 the sampler's.
SetFlags parse_set(const std::vector<std::string>& assignments) {
  constexpr std::string_view model_prefix = "model.";
  SetFlags set;
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

// One table of the file, its keys checked one by one so that a wrong one is told with its line.
Settings checked_table(const TomlConfig& file, const std::string& table, std::string_view owner,
                       std::span<const ParamSpec> specs) {
  const Settings& settings = file.tables.at(table);
  for (const auto& [key, value] : settings) {
    try {
      Config(owner, specs, {{key, value}});
    } catch (const UsageError& error) {
      throw UsageError(fmt::format("{}: {}", file.where(table, key), error.what()));
    }
  }
  return settings;
}

Config resolve_table(const TomlConfig* file, const std::string& table, std::string_view owner,
                     std::span<const ParamSpec> specs, const Settings& flags) {
  Settings merged = flags;
  if (file) merged.merge(checked_table(*file, table, owner, specs));  // keeps what the flags say
  return Config(owner, specs, merged);
}

// [run] may hold the keys of every task: all are checked, those of this one are taken.
Config resolve_run(const TomlConfig* file, std::span<const ParamSpec> keys, const Settings& flags) {
  Settings merged = flags;
  if (file) {
    Settings settings = checked_table(*file, "run", "the run", join({model_keys, sample_keys, optimize_keys}));
    std::erase_if(settings, [&](const auto& setting) {
      return std::none_of(keys.begin(), keys.end(), [&](const ParamSpec& key) { return key.name == setting.first; });
    });
    merged.merge(settings);
  }
  return Config("the run", keys, merged);
}

// The entry that a run key names; a wrong name that comes from the file is told with its line.
template <class Entry>
const Entry& find_named(const Entry& (*find)(std::string_view), const std::string& key, const Config& run,
                        const TomlConfig* file) {
  const std::string& name = run.text(key);
  try {
    return find(name);
  } catch (const UsageError& error) {
    const bool from_file = file && file->tables.at("run").count(key) && file->tables.at("run").at(key) == name;
    throw UsageError(from_file ? fmt::format("{}: {}", file->where("run", key), error.what()) : error.what());
  }
}

void use_batch_size(const RunSettings& settings, Settings& of_sampler) {
  const auto specs = settings.sampler->params;
  if (std::none_of(specs.begin(), specs.end(), [](const ParamSpec& spec) { return spec.name == "batch_size"; })) {
    throw UsageError(fmt::format("--batch-size: {} takes whole gradients and no minibatches", settings.sampler->name));
  }
  const std::string size = std::to_string(settings.run.integer("batch_size"));
  if (!of_sampler.emplace("batch_size", size).second) {
    throw UsageError("--batch-size and --set batch_size are the same setting");
  }
}

using Json = nlohmann::ordered_json;

Json values_of(const Config& config) {
  Json out = Json::object();
  for (const auto& [name, value] : config.values()) {
    std::visit([&, &key = name](const auto& v) { out[key] = v; }, value);
  }
  return as_utf8(out);
}

}  // namespace

RunFlags::RunFlags(Task task) : task_(task), keys_(join({model_keys, own_keys(task)})) {}

void RunFlags::add_to(CLI::App& command) {
  command.add_option("config", config_file_, "TOML file with tables [run], [model], [sampler]; flags override it");
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
      options_[name] = command.add_option(flag, value, doc)->type_name(std::string(type_shown(spec.type)));
    }
  }
  command
      .add_option("--set", set_,
                  task_ == Task::sample ? "a parameter of the sampler (name=value) or of the model (model.name=value)"
                                        : "a parameter of the model (model.name=value)")
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

RunSettings RunFlags::resolve() const {
  SetFlags set = parse_set(set_);
  std::optional<TomlConfig> read;
  if (!config_file_.empty()) read = read_toml(config_file_);
  const TomlConfig* file = read ? &*read : nullptr;

  RunSettings settings;
  settings.run = resolve_run(file, keys_, given_run_keys());
  if (settings.run.text("model").empty()) {
    throw UsageError("which model? Give --model NAME or a configuration file; quasar list models shows them");
  }
  settings.model = &find_named(find_model, "model", settings.run, file);
  settings.model_parameters =
      resolve_table(file, "model", fmt::format("model {}", settings.model->name), settings.model->params, set.model);
  if (task_ == Task::sample) {
    settings.sampler = &find_named(find_sampler, "sampler", settings.run, file);
    if (settings.run.integer("batch_size") > 0) use_batch_size(settings, set.sampler);
    settings.sampler_parameters = resolve_table(file, "sampler", fmt::format("sampler {}", settings.sampler->name),
                                                settings.sampler->params, set.sampler);
  } else if (!set.sampler.empty()) {
    const std::string& name = set.sampler.begin()->first;
    throw UsageError(fmt::format("--set {0}: only parameters of the model can be set here, as model.{0}", name));
  }
  return settings;
}

nlohmann::ordered_json RunSettings::to_json() const {
  return {{"run", values_of(run)}, {"model", values_of(model_parameters)}, {"sampler", values_of(sampler_parameters)}};
}

}  // namespace quasar::cli
