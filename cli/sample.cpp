// quasar sample
#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include <csignal>
#include <filesystem>
#include <memory>
#include <optional>

#include <quasar/errors.hpp>
#include <quasar/layout.hpp>
#include <quasar/registry.hpp>
#include <quasar/sample.hpp>

#include "check.hpp"
#include "commands.hpp"
#include "io/durable_run.hpp"
#include "io/init.hpp"
#include "io/json_text.hpp"
#include "io/run_file.hpp"
#include "load_model.hpp"
#include "progress.hpp"
#include "run_settings.hpp"
#include "summary.hpp"
#include "terminal.hpp"
#include "tune.hpp"
#include "variable_names.hpp"

namespace quasar::cli {
namespace {

using Json = nlohmann::ordered_json;
constexpr std::size_t rows_shown = 40;

struct Options {
  RunFlags flags{Task::sample};
  bool dry_run = false, json = false;
};

// Everything checked and ready: nothing that follows can fail for a reason that could have been known before.
struct Job {
  RunSettings settings;
  Durability durability;
  std::unique_ptr<Target> target;
  SampleOptions options;
  std::string data_hash;
  std::optional<Tuned> tuned;
};

SampleOptions sample_options(const Config& run) {
  SampleOptions options;
  options.chains = static_cast<int>(run.integer("chains"));
  options.schedule = {run.integer("warmup"), run.integer("draws"), run.integer("thin")};
  options.seed = static_cast<std::uint64_t>(run.integer("seed"));
  options.threads = static_cast<int>(run.integer("threads"));
  options.save_warmup = run.flag("save_warmup");
  options.variables = variable_names(run.text("variables"));
  return options;
}

// Records and run file exist side by side for a moment. What is not free now may be later: only a warning.
void warn_of_small_disk(const Job& job) {
  constexpr double gibibyte = 1024.0 * 1024 * 1024, files = 2, other_numbers = 15;
  const SampleOptions& options = job.options;
  const auto values = static_cast<double>(select_variables(job.target->layout(), options.variables).layout.size());
  const auto kept = static_cast<double>(options.schedule.kept(options.schedule.draws) +
                                        (options.save_warmup ? options.schedule.kept(options.schedule.warmup) : 0));
  const double needed = files * sizeof(double) * options.chains * kept * (values + other_numbers);
  std::error_code unknown;
  const auto space = std::filesystem::space(std::filesystem::absolute(job.durability.out).parent_path(), unknown);
  if (unknown || needed < static_cast<double>(space.available)) return;
  note(
      "warning: the draws take up to {:.3g} GiB on disk, and {:.3g} are free; --thin, --variables or fewer draws need "
      "less\n",
      needed / gibibyte, static_cast<double>(space.available) / gibibyte);
}

RunInfo describe(const Job& job) {
  RunInfo info;
  info.model = job.settings.model->name;
  info.data_source = job.settings.run.text("data");
  info.data_hash = job.data_hash;
  info.init_hash = job.options.initial.empty() ? "" : points_hash(job.options.initial);
  Json configuration = job.settings.to_json();
  configuration["run"].erase("check");  // is asked about a run, not part of it: a finished one may be checked later
  configuration["run"].erase("tune");   // what it has chosen is among the sampler's parameters
  info.configuration = configuration.dump();
  return info;
}

void read_initial_points(Job& job) {
  const std::string& init = job.settings.run.text("init");
  std::error_code ignored;
  if (std::filesystem::equivalent(init, job.durability.out, ignored)) {
    throw UsageError(
        fmt::format("--init and --out are both {}: a run that is stopped would lose its starting points", init));
  }
  job.options.initial = read_init(init, *job.target, job.options.chains);
}

CheckRequest check_request(const Job& job) {
  const Config& run = job.settings.run;
  return {run.text("check"), *job.target, job.options, run.flag("quiet")};
}

Job prepare(const RunFlags& flags) {
  Job job{flags.resolve(), {}, nullptr, {}, {}, {}};
  const Config& run = job.settings.run;
  job.durability = {run.text("out"), run.flag("resume"), run.flag("overwrite"), run.integer("checkpoint_every")};
  check_output(job.durability);
  job.options = sample_options(run);
  LoadedModel loaded = load_model(job.settings);
  job.target = std::move(loaded.target);
  job.data_hash = std::move(loaded.data_hash);
  (void)select_variables(job.target->layout(), job.options.variables);  // unknown names, before any work
  if (!run.text("init").empty()) read_initial_points(job);
  (void)check_request(job);  // what cannot be checked, before any work
  return job;
}

RunEnd draw(const Job& job, const RunInfo& info) {
  std::signal(SIGPIPE, SIG_IGN);  // whoever reads the progress may leave; the run goes on
  std::signal(SIGXFSZ, SIG_IGN);  // a file at its limit is an error like a full disk, not the end
  std::vector<ChainProgress> progress(static_cast<std::size_t>(job.options.chains));
  const std::stop_source stop;
  const ProgressDisplay display(progress, job.options.schedule, job.settings.run.flag("quiet"), stop);
  return sample_durably({*job.target, *job.settings.sampler, job.settings.sampler_parameters, job.options, info},
                        job.durability, progress, stop.get_token());
}

void print_json(const Run& run, const RunSummary& summary, const std::optional<RunCheck>& check, const Job& job) {
  Json json = to_json(summary, run.info);
  json["output"] = job.durability.out.string();
  json["stopped_early"] = run.info.stopped_early;
  if (job.tuned) json["tuned"] = to_json(*job.tuned);
  if (check) json["check"] = to_json(*check);
  fmt::print("{}\n", as_utf8(json).dump(2));
}

int report(const Job& job, const Options& options, RunEnd end) {
  const std::string out = job.durability.out.string();
  const bool tables = !options.json && !job.settings.run.flag("quiet");
  const bool check_wanted = end == RunEnd::complete && job.settings.run.text("check") != "none";
  const Run run = open_run_file(job.durability.out);
  const RunSummary summary = summarize_run(run);
  if (tables) {
    print_summary(summary, run.info, rows_shown);
    fmt::print("\n{} written\n", out);
  }
  const auto check = check_wanted ? check_run(run, check_request(job)) : std::nullopt;
  if (options.json) print_json(run, summary, check, job);
  if (check && tables) print_check(*check, rows_shown);
  print_warnings(summary);
  if (check) print_warnings(*check);
  if (end == RunEnd::stopped) note("quasar: stopped early; {} has the draws so far, --resume goes on\n", out);
  if (check_wanted && !check) note("quasar: the check was stopped; {} is complete, --resume checks it\n", out);
  return end == RunEnd::complete && (check || !check_wanted) ? 0 : interrupted;
}

// Stopped before the first draw: there is no summary, and a file only of saved warm-up.
void report_warmup(const Job& job, const Options& options) {
  const std::string out = job.durability.out.string();
  const bool saved = job.options.save_warmup && std::filesystem::exists(job.durability.out);
  if (options.json) {
    const Run run = open_run(job.durability.out);
    Json json;
    add_extent(json, run.chains(), 0, run.info);
    json["output"] = saved ? Json(out) : Json(nullptr);
    json["stopped_early"] = true;
    fmt::print("{}\n", as_utf8(json).dump(2));
  }
  note("quasar: stopped in warm-up, before the first draw{}; --resume goes on\n",
       saved ? fmt::format("; {} has the warm-up so far", out) : "");
}

// The run starts where the trials did.
void tune_first(Job& job) {
  job.tuned = tune_sampler(*job.target, job.settings);
  for (int chain = 0; job.settings.run.text("init").empty() && chain < job.options.chains; ++chain) {
    const Rng rng(job.options.seed, static_cast<std::uint64_t>(chain));
    job.options.initial.push_back(job.tuned->local.near(rng, {}));
  }
}

int run_sample(const Options& options) {
  Job job = prepare(options.flags);
  if (job.settings.run.flag("tune") && !options.dry_run) tune_first(job);
  const RunInfo info = describe(job);
  const bool finished = already_finished(job.durability, info);
  if (options.dry_run) {
    fmt::print("{}\n", job.settings.to_json().dump(2));
    return 0;
  }
  if (finished) {
    note("quasar: {} is complete; nothing to resume\n", job.durability.out.string());
    return report(job, options, RunEnd::complete);
  }
  warn_of_small_disk(job);
  const RunEnd end = draw(job, info);
  if (end != RunEnd::stopped_in_warmup) return report(job, options, end);
  report_warmup(job, options);
  return interrupted;
}

}  // namespace

Command add_sample(CLI::App& app) {
  auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand("sample", "draw from the posterior of a model");
  options->flags.add_to(*command);
  command->add_flag("--dry-run", options->dry_run, "check everything, print the effective configuration, stop");
  command->add_flag("--json", options->json, "one JSON object on standard output");
  return [options] { return run_sample(*options); };
}

}  // namespace quasar::cli
