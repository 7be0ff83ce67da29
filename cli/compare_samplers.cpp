#include "compare_samplers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <csignal>
#include <set>

#include <quasar/errors.hpp>
#include <quasar/layout.hpp>
#include <quasar/registry.hpp>
#include <quasar/sample.hpp>

#include "check.hpp"
#include "core/recorder.hpp"
#include "diagnostics/checks.hpp"
#include "front/load_model.hpp"
#include "front/model_notes.hpp"
#include "io/durable_run.hpp"
#include "io/init.hpp"
#include "io/json_text.hpp"
#include "io/run_file.hpp"
#include "param_flags.hpp"
#include "progress.hpp"
#include "terminal.hpp"

namespace quasar::cli {
namespace {

namespace fs = std::filesystem;

constexpr int pilot_draws = 100;
constexpr double most_draws = 1e12;

// ---- settings of each sampler ----

bool has_parameter(const SamplerEntry& sampler, std::string_view name) {
  return std::ranges::any_of(sampler.params, [&](const ParamSpec& spec) { return spec.name == name; });
}

struct SamplerKey {  // "nuts.max_depth", or "max_depth" of all that have it
  std::string sampler, parameter;
  explicit SamplerKey(const std::string& text) {
    const std::size_t dot = text.find('.');
    if (dot != std::string::npos) sampler = text.substr(0, dot);
    parameter = dot == std::string::npos ? text : text.substr(dot + 1);
  }
};

// Of the settings of all samplers those of one, without its name. A setting with the name is the stronger.
template <class Use>
void for_each_setting_of(const std::string& sampler, const Settings& all, Use use) {
  for (const bool named : {false, true}) {
    for (const auto& [text, value] : all) {
      const SamplerKey key(text);
      const bool fits =
          named ? key.sampler == sampler : key.sampler.empty() && has_parameter(find_sampler(sampler), key.parameter);
      if (fits) use(key.parameter, text, value);
    }
  }
}

// What a file says of the output and the length of a run is not of these.
void drop_keys_of_one_run(Settings& run) {
  const std::vector<ParamSpec> kept = run_keys(Task::compare);
  for (const ParamSpec& key : run_keys(Task::sample)) {
    const auto is_it = [&](const ParamSpec& other) { return other.name == key.name; };
    if (std::ranges::none_of(kept, is_it)) run.erase(std::string(key.name));
  }
}

TomlConfig file_for(const std::string& sampler, TomlConfig file) {
  const TomlConfig all = file;
  drop_keys_of_one_run(file.tables["run"]);
  file.tables["sampler"].clear();
  for_each_setting_of(sampler, all.tables.at("sampler"),
                      [&](const std::string& name, const std::string& text, auto& value) {
                        file.tables["sampler"][name] = value;
                        file.key_lines["sampler"][name] = all.key_lines.at("sampler").at(text);
                      });
  return file;
}

// A file may serve other samplers too; what is typed is meant for these.
void check_keys(const SamplersRequest& request) {
  const auto check = [&](const Settings& settings, const auto& where, bool typed) {
    for (const auto& [text, value] : settings) {
      const SamplerKey key(text);
      if (!key.sampler.empty()) {
        try {
          (void)find_sampler(key.sampler);
        } catch (const UsageError& error) {
          throw UsageError(fmt::format("{}: {}", where(text), error.what()));
        }
      }
      const auto takes = [&](const std::string& sampler) {
        return key.sampler.empty() ? has_parameter(find_sampler(sampler), key.parameter) : key.sampler == sampler;
      };
      if (std::ranges::any_of(request.samplers, takes) || (!typed && !key.sampler.empty())) continue;
      throw UsageError(key.sampler.empty() ? fmt::format("{}: none of {} has such a parameter", where(text),
                                                         fmt::join(request.samplers, ", "))
                                           : fmt::format("{}: {} is not among --samplers", where(text), key.sampler));
    }
  };
  check(
      request.given.sampler, [](const std::string& key) { return fmt::format("--set {}", key); }, true);
  if (!request.file) return;
  check(
      request.file->tables.at("sampler"), [&](const std::string& key) { return request.file->where("sampler", key); },
      false);
}

void check_samplers(const SamplersRequest& request) {
  std::set<std::string> names;
  for (const std::string& name : request.samplers) {
    (void)find_sampler(name);
    if (!names.insert(name).second) {
      throw UsageError(fmt::format(
          "--samplers: {} is given twice; for two settings of one sampler make two runs and compare their files",
          name));
    }
  }
  if (names.size() < 2) throw UsageError("--samplers: name two or more, separated by commas");
}

// ---- one sampler, from its settings to its file ----

struct Contender {
  std::string name;
  GivenSettings given;
  std::optional<TomlConfig> file;
  RunSettings settings;
  Durability durability;
  SampleOptions options;
  std::string failure = {};  // empty: none yet
};

class Race {
 public:
  explicit Race(const SamplersRequest& request);
  FinishedRuns run();

 private:
  Index parameters_of(const Contender& contender) const;
  void set_schedule(Contender& contender, std::int64_t draws) const;
  void plan(Contender& contender);
  double pilot(const Contender& contender, std::int64_t draws) const;
  RunEnd draw(const Contender& contender);
  NamedRun finished(const Contender& contender) const;
  RunInfo description_of(const Contender& contender) const;
  template <class Work>
  void or_failed(Contender& contender, Work work);
  bool quiet() const { return contenders_.front().settings.run.flag("quiet"); }

  const SamplersRequest& request_;
  Budget budget_;
  std::vector<Contender> contenders_;
  LoadedModel model_;
};

RunSettings resolved(const Contender& contender) {
  return resolve(Task::sample, contender.given, contender.file ? &*contender.file : nullptr);
}

void check_output(const Contender& contender) {
  const auto& [out, resume, overwrite, every] = contender.durability;
  std::vector<std::string> inputs = inputs_of(contender.settings);
  if (contender.file) inputs.push_back(contender.file->file);
  std::error_code ignored;
  const fs::path part = out.string() + ".part";
  for (const fs::path& path : {out, part}) {
    check_output(TableOutput{path.string(), true, "--out-dir"}, inputs);
    if (overwrite || resume || !fs::exists(path, ignored)) continue;
    throw UsageError(fmt::format("{} exists; --overwrite replaces it, --resume goes on, --out-dir names another folder",
                                 path.string()));
  }
}

Race::Race(const SamplersRequest& request) : request_(request), budget_(parse_budget(request.budget)) {
  check_samplers(request);
  check_keys(request);
  for (const std::string& sampler : request.samplers) {
    Contender contender{sampler, settings_for(sampler, request), std::nullopt, {}, {}, {}};
    if (request.file) contender.file = file_for(sampler, *request.file);
    contender.settings = resolved(contender);
    contenders_.push_back(std::move(contender));
  }
  const RunSettings& first = contenders_.front().settings;
  model_ = load_model(first);
  const fs::path folder = request.out_dir.empty() ? "compare-" + model_.name : request.out_dir;
  for (Contender& contender : contenders_) {
    const Config& run = contender.settings.run;
    contender.options = sample_options(run);
    (void)select_variables(model_.target->layout(), contender.options.variables);  // unknown names, before any work
    contender.durability = {folder / (contender.name + ".nc"), run.flag("resume"), run.flag("overwrite"), 0};
    check_output(contender);
    if (!run.text("init").empty()) {
      contender.options.initial = read_init(run.text("init"), *model_.target, contender.options.chains);
    }
  }
  if (!quiet()) {
    for (const std::string& one : model_.notes) note("quasar: {}\n", one);
  }
  std::error_code failure;
  fs::create_directories(folder, failure);
  if (failure) throw DataError(fmt::format("{}: cannot make this folder: {}", folder.string(), failure.message()));
  for (const Contender& contender : contenders_) check_writable(contender.durability.out);
  if (request.page) check_writable(*request.page);  // which may go to that folder
}

// At most 10 000 draws of each chain are kept, and at most a gigabyte, though never fewer than 1000.
std::int64_t thin_for(std::int64_t draws, Index parameters, int chains) {
  const double numbers = 1e8 / (static_cast<double>(std::max<Index>(parameters, 1)) * chains);
  const auto most = static_cast<std::int64_t>(std::clamp(numbers, 1e3, 1e4));
  return (draws + most - 1) / most;
}

// What the pilot spent of the budget's kind on one draw of one chain. It stores draws as rarely as the run that it
// stands for will, which is ten times as long where it is timed.
double Race::pilot(const Contender& contender, std::int64_t draws) const {
  SampleOptions options = contender.options;
  options.schedule = {options.schedule.warmup, draws, thin_for(10 * draws, parameters_of(contender), options.chains)};
  if (!quiet()) note("{}: a pilot of {} + {} iterations\n", contender.name, options.schedule.warmup, draws);
  std::vector<ChainProgress> progress(static_cast<std::size_t>(options.chains));
  const std::stop_source stop;
  RunData data;
  {
    const ProgressDisplay display(progress, options.schedule, true, stop);
    data = sample(*model_.target, *contender.settings.sampler, contender.settings.sampler_parameters, options, progress,
                  stop.get_token());
  }
  if (data.info.stopped_early) return undefined_number;
  const auto made = static_cast<double>(draws);
  if (budget_.in_seconds) return std::max(data.info.sampling_seconds, 1e-9) / made;
  Run run;
  static_cast<RunHeader&>(run) = data;
  run.source = view_of(data);
  return whole_gradients(run) / (made * options.chains);
}

Index Race::parameters_of(const Contender& contender) const {
  return select_variables(model_.target->layout(), contender.options.variables).layout.size();
}

void Race::set_schedule(Contender& contender, std::int64_t draws) const {
  contender.given.run["draws"] = std::to_string(draws);
  const bool thin_in_file = contender.file && contender.file->tables.at("run").contains("thin");
  if (!contender.given.run.contains("thin") && !thin_in_file) {
    contender.given.run["thin"] = std::to_string(thin_for(draws, parameters_of(contender), contender.options.chains));
  }
  contender.settings = resolved(contender);
  contender.options.schedule = sample_options(contender.settings.run).schedule;
}

// The number of draws that the budget pays for. What is there to resume knows it.
void Race::plan(Contender& contender) {
  const fs::path& out = contender.durability.out;
  const fs::path part = out.string() + ".part";
  std::error_code ignored;
  if (contender.durability.resume && (fs::exists(out, ignored) || fs::exists(part, ignored))) {
    const Schedule there = open_run(out).info.schedule;
    contender.given.run["thin"] = std::to_string(there.thin);
    set_schedule(contender, there.draws);
    return;
  }
  double each = pilot(contender, pilot_draws);
  if (budget_.in_seconds && each * pilot_draws < budget_.amount / 20) {  // too short to be timed
    each = pilot(contender, std::llround(std::clamp(budget_.amount / 10 / each, double{pilot_draws}, 1e6)));
  }
  if (interrupted_by_user()) return;
  const double draws = budget_.amount / each;
  if (!(each > 0)) {
    throw RunError(
        "its draws take no gradients, so that a budget of gradients does not limit it; give --budget in seconds, as "
        "10s");
  }
  if (draws < static_cast<double>(diagnostics::kLeastDraws)) {
    throw RunError(
        fmt::format("the budget pays for {:.2g} draws of a chain, of which each takes {:.3g} {}; give at least {:.3g}",
                    draws, each, budget_.in_seconds ? "seconds" : "whole gradients", each * diagnostics::kLeastDraws));
  }
  set_schedule(contender, std::llround(std::min(draws, most_draws)));
}

// A sampler that fails is no reason to lose the others.
template <class Work>
void Race::or_failed(Contender& contender, Work work) {
  if (!contender.failure.empty() || interrupted_by_user()) return;
  try {
    work();
  } catch (const RunError& error) {
    contender.failure = error.what();
    note("quasar: {}: {}\n", contender.name, error.what());
  }
}

RunInfo Race::description_of(const Contender& contender) const {
  RunInfo info = describe(contender.settings, model_, contender.options.initial);
  auto configuration = nlohmann::ordered_json::parse(info.configuration);
  configuration["compare"] = {{"budget", request_.budget}};  // another one is not resumed
  info.configuration = configuration.dump();
  return info;
}

RunEnd Race::draw(const Contender& contender) {
  const RunInfo info = description_of(contender);
  if (already_finished(contender.durability, info)) return RunEnd::complete;
  const Schedule& schedule = contender.options.schedule;
  if (!quiet()) {
    note("{}: {} + {} iterations\n", contender.name, schedule.warmup, schedule.draws);
    for (const std::string& one : model_notes(contender.settings, *model_.target)) note("quasar: {}\n", one);
  }
  std::vector<ChainProgress> progress(static_cast<std::size_t>(contender.options.chains));
  const std::stop_source stop;
  const ProgressDisplay display(progress, schedule, quiet(), stop);
  return sample_durably(
      {*model_.target, *contender.settings.sampler, contender.settings.sampler_parameters, contender.options, info},
      contender.durability, progress, stop.get_token());
}

NamedRun Race::finished(const Contender& contender) const {
  const fs::path& out = contender.durability.out;
  NamedRun named{contender.name, out.string(), open_run_file(out)};
  if (!request_.ksd || !named.run.check.empty() || !why_no_ksd(*model_.target, contender.options).empty()) return named;
  const CheckRequest request("ksd", *model_.target, contender.options, true);
  const auto check = check_run(named.run, request);
  if (!check) return named;
  write_check(out, as_utf8(to_json(*check)).dump());
  return {contender.name, out.string(), open_run_file(out)};
}

FinishedRuns Race::run() {
  FinishedRuns all;
  for (Contender& contender : contenders_) or_failed(contender, [&] { plan(contender); });
  for (Contender& contender : contenders_) {
    or_failed(contender, [&] {
      if (draw(contender) == RunEnd::complete) all.runs.push_back(finished(contender));
    });
    if (!contender.failure.empty()) all.failed.push_back({contender.name, contender.failure});
  }
  all.stopped = interrupted_by_user();
  return all;
}

}  // namespace

Budget parse_budget(const std::string& text) {
  const bool in_seconds = text.ends_with('s');
  const auto amount = parse_real(std::string_view(text).substr(0, text.size() - (in_seconds ? 1 : 0)));
  if (!amount || !(*amount > 0) || !std::isfinite(*amount)) {
    throw UsageError(fmt::format(
        "--budget {}: give what each chain may spend after warm-up: whole gradients, as 20000, or seconds, as 10s",
        text));
  }
  return {*amount, in_seconds};
}

GivenSettings settings_for(const std::string& sampler, const SamplersRequest& request) {
  GivenSettings given{request.given.run, request.given.model, {}};
  given.run["sampler"] = sampler;
  for_each_setting_of(sampler, request.given.sampler,
                      [&](const std::string& name, const std::string&, auto& value) { given.sampler[name] = value; });
  return given;
}

FinishedRuns run_samplers(const SamplersRequest& request) {
  std::signal(SIGPIPE, SIG_IGN);  // whoever reads the progress may leave; the runs go on
  std::signal(SIGXFSZ, SIG_IGN);
  return Race(request).run();
}

}  // namespace quasar::cli
