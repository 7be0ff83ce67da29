#include "front/run_settings.hpp"

#include <fmt/core.h>

#include <algorithm>

#include <quasar/errors.hpp>

#include "front/variable_names.hpp"
#include "io/json_text.hpp"

namespace quasar {
namespace {

constexpr Choice yes_or_no[] = {{"yes"}, {"no"}};

constexpr ParamSpec model_keys[] = {
    {.name = "model", .doc = "a model; see quasar list models", .type = ParamSpec::text},
    {.name = "bridgestan",
     .doc = "instead of a model: a Stan program that BridgeStan has compiled, NAME_model.so",
     .type = ParamSpec::text},
    {.name = "data",
     .doc = "CSV file with a header line, images in IDX files, or what quasar pack has made; ratings for models of "
            "ratings, or synthetic:USERSxITEMSxRATINGS; for a Stan program, JSON. .gz allowed",
     .type = ParamSpec::text},
    {.name = "transformed",
     .doc = "record transformed parameters of a Stan program: yes or no",
     .type = ParamSpec::choice,
     .init = "yes",
     .choices = yes_or_no},
    {.name = "generated",
     .doc = "record generated quantities of a Stan program: yes or no",
     .type = ParamSpec::choice,
     .init = "yes",
     .choices = yes_or_no},
    {.name = "init",
     .doc = "start from a JSON file of values, or from the last draws of a run file",
     .type = ParamSpec::text},
    {.name = "seed", .doc = "random seed", .type = ParamSpec::integer, .init = "1", .min = 0, .max = 9e15},
    {.name = "prior_only", .doc = "leave the likelihood out", .type = ParamSpec::boolean, .init = "false"},
};

constexpr int most_shards = 1024;

constexpr Choice kept[] = {{"all"}, {"thin"}, {"moments"}};
constexpr Choice checks[] = {{"none"}, {"exact"}, {"ksd"}, {"exact,ksd"}};

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
    {.name = "shards",
     .doc = "parts that sums over data are split into, a power of two: ranks of mpirun share them. 0: not split",
     .type = ParamSpec::integer,
     .init = "0",
     .min = 0,
     .max = most_shards},
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
    {.name = "keep",
     .doc = "all draws; thin: at most 100 of each chain, and mean and sd of all; moments: mean and sd alone",
     .type = ParamSpec::choice,
     .init = "all",
     .choices = kept},
    {.name = "held_out",
     .doc = "a file of rows to predict while sampling: the average over the draws, and its error as the run goes on",
     .type = ParamSpec::text},
    {.name = "log_likelihood",
     .doc = "store the log density of every row of the data at every stored draw, as ArviZ's loo needs it",
     .type = ParamSpec::boolean,
     .init = "false"},
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
     .doc = "lbfgs or gradient_descent; a --problem has --set solver=",
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
     .doc = "stop when the gradient's norm is no greater; 1e-8 with --problem",
     .type = ParamSpec::real,
     .init = "1e-6",
     .min = 0},
};

std::vector<ParamSpec> joined_keys(std::initializer_list<std::span<const ParamSpec>> lists) {
  std::vector<ParamSpec> all;
  for (const auto& list : lists) all.insert(all.end(), list.begin(), list.end());
  return all;
}

constexpr std::string_view compare_keys[] = {"chains",    "warmup",    "thin",   "threads",
                                             "overwrite", "variables", "resume", "quiet"};

std::vector<ParamSpec> own_keys(Task task) {
  if (task == Task::optimize) return joined_keys({optimize_keys});
  std::vector<ParamSpec> keys = joined_keys({sample_keys});
  if (task == Task::compare) {
    for (ParamSpec& key : keys) {
      if (key.name == "quiet") key.doc = "no progress";
    }
    std::erase_if(
        keys, [](const ParamSpec& key) { return std::ranges::find(compare_keys, key.name) == std::end(compare_keys); });
  }
  return keys;
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
    Settings settings = checked_table(*file, "run", "the run", joined_keys({model_keys, sample_keys, optimize_keys}));
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
    throw UsageError(fmt::format("--batch-size: {} takes {}", settings.sampler->name,
                                 settings.sampler->blocked ? "a part of the ratings at a time, one of model.blocks"
                                                           : "whole gradients and no minibatches"));
  }
  const std::string size = std::to_string(settings.run.integer("batch_size"));
  if (!of_sampler.emplace("batch_size", size).second) {
    throw UsageError("--batch-size and --set batch_size are the same setting");
  }
}

Config resolve_sampler(const RunSettings& settings, Settings given, const TomlConfig* file) {
  if (settings.run.integer("batch_size") > 0) use_batch_size(settings, given);
  const SamplerEntry& sampler = *settings.sampler;
  return resolve_table(file, "sampler", fmt::format("sampler {}", sampler.name), sampler.params, given);
}

// A Stan program stands in the place of a model and takes all it needs from its data.
void check_stan_keys(const Config& run, const GivenSettings& given, const TomlConfig* file) {
  if (run.text("bridgestan").empty()) {
    for (const std::string key : {"transformed", "generated"}) {
      if (run.text(key) != "yes")
        throw UsageError(fmt::format("--{} is for Stan programs, given by --bridgestan", key));
    }
    return;
  }
  if (!run.text("model").empty()) throw UsageError("--model and --bridgestan both name a model; give one of them");
  if (!given.model.empty() || (file && !file->tables.at("model").empty())) {
    throw UsageError("a Stan program has no parameters model.NAME to set; its data say all it needs");
  }
  if (run.flag("prior_only")) {
    throw UsageError("--prior-only: a Stan program does not say which part of its density is the prior");
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

std::vector<ParamSpec> run_keys(Task task) { return joined_keys({model_keys, own_keys(task)}); }

RunSettings resolve(Task task, const GivenSettings& given, const TomlConfig* file) {
  RunSettings settings;
  settings.run = resolve_run(file, run_keys(task), given.run);
  check_stan_keys(settings.run, given, file);
  if (!settings.run.text("model").empty()) {
    settings.model = &find_named(find_model, "model", settings.run, file);
    settings.model_parameters = resolve_table(file, "model", fmt::format("model {}", settings.model->name),
                                              settings.model->params, given.model);
  }
  if (task == Task::sample) {
    settings.sampler = &find_named(find_sampler, "sampler", settings.run, file);
    settings.sampler_parameters = resolve_sampler(settings, given.sampler, file);
    check_shards(settings, 1);
  } else if (!given.sampler.empty()) {
    const std::string& name = given.sampler.begin()->first;
    throw UsageError(fmt::format("--set {0}: only parameters of the model can be set here, as model.{0}", name));
  }
  return settings;
}

nlohmann::ordered_json RunSettings::to_json() const {
  return {{"run", values_of(run)}, {"model", values_of(model_parameters)}, {"sampler", values_of(sampler_parameters)}};
}

std::vector<std::string> inputs_of(const RunSettings& settings) {
  std::vector<std::string> inputs;
  const auto add = [&](const Config& config, std::string_view name) {
    if (config.values().contains(name)) inputs.push_back(config.text(name));
  };
  for (const std::string_view name : {"data", "init", "bridgestan", "held_out"}) add(settings.run, name);
  add(settings.model_parameters, "dictionary");
  return inputs;
}

int shards_of(const RunSettings& settings) {
  return settings.sampler ? static_cast<int>(settings.run.integer("shards")) : 0;
}

void check_shards(const RunSettings& settings, int ranks) {
  const int shards = shards_of(settings);
  if (shards == 0) return;
  if (settings.sampler->blocked) {
    throw UsageError(
        fmt::format("--shards: {} splits the data into blocks already, by model.blocks", settings.sampler->name));
  }
  if (settings.run.flag("prior_only")) throw UsageError("--shards: --prior-only leaves no sum over data to split");
  const bool power_of_two = (shards & (shards - 1)) == 0;
  if (!power_of_two) throw UsageError(fmt::format("--shards {}: must be a power of two", shards));
  if (shards % ranks != 0) {
    throw UsageError(
        fmt::format("--shards {} cannot be shared by {} ranks: their number must divide it", shards, ranks));
  }
}

SampleOptions sample_options(const Config& run) {
  SampleOptions options;
  options.chains = static_cast<int>(run.integer("chains"));
  options.schedule = {run.integer("warmup"), run.integer("draws"), run.integer("thin")};
  options.seed = static_cast<std::uint64_t>(run.integer("seed"));
  options.threads = static_cast<int>(run.integer("threads"));
  options.save_warmup = run.flag("save_warmup");
  const std::string& keep = run.text("keep");
  options.keep = keep == "moments" ? Keep::moments : keep == "thin" ? Keep::thin : Keep::all;
  options.variables = variable_names(run.text("variables"));
  return options;
}

}  // namespace quasar
