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
#include <quasar/row_sweep.hpp>
#include <quasar/sample.hpp>

#include "check.hpp"
#include "commands.hpp"
#include "core/fnv1a.hpp"
#include "core/recorder.hpp"
#include "core/together.hpp"
#include "front/load_model.hpp"
#include "front/model_notes.hpp"
#include "front/predict.hpp"
#include "front/variable_names.hpp"
#include "io/durable_run.hpp"
#include "io/init.hpp"
#include "io/json_text.hpp"
#include "io/run_file.hpp"
#include "mpi/world.hpp"
#include "profile.hpp"
#include "progress.hpp"
#include "run_flags.hpp"
#include "summary.hpp"
#include "terminal.hpp"
#include "tune.hpp"

namespace quasar::cli {
namespace {

using Json = nlohmann::ordered_json;
constexpr std::size_t rows_shown = 40;

struct Options {
  RunFlags flags{Task::sample};
  bool dry_run = false, json = false, profile = false;
};

bool runs_in_step(const RunSettings& settings) { return settings.sampler->blocked || shards_of(settings) > 0; }

// Everything checked and ready: nothing that follows can fail for a reason that could have been known before.
struct Job {
  RunSettings settings;
  Durability durability;
  LoadedModel model;
  SampleOptions options;
  PredictedFile held_out;  // no rows: none were given
  std::optional<Tuned> tuned;
  Exchange* dealt_over = nullptr;  // see SamplingJob
};

// Records and run file exist side by side for a moment. What is not free now may be later: only a warning.
void warn_of_small_disk(const Job& job) {
  constexpr double gibibyte = 1024.0 * 1024 * 1024, files = 2, other_numbers = 15;
  const SampleOptions& options = job.options;
  const bool with_values = options.keep != Keep::moments;
  const auto values = static_cast<double>(
      with_values ? select_variables(job.model.target->layout(), options.variables).layout.size() : 0);
  const auto kept = static_cast<double>(options.schedule.kept(options.schedule.draws) +
                                        (options.save_warmup ? options.schedule.kept(options.schedule.warmup) : 0)) /
                    static_cast<double>(storage_stride(options.schedule, options.keep));
  const double rows = job.model.fitted ? static_cast<double>(job.model.fitted->rows()) : 0;
  const double needed = sizeof(double) * options.chains * kept * (files * (values + other_numbers) + rows);
  std::error_code unknown;
  const auto space = std::filesystem::space(std::filesystem::absolute(job.durability.out).parent_path(), unknown);
  if (unknown || needed < static_cast<double>(space.available)) return;
  note(
      "warning: the draws take up to {:.3g} GiB on disk, and {:.3g} are free; --thin, --keep, --variables or fewer "
      "draws "
      "need less\n",
      needed / gibibyte, static_cast<double>(space.available) / gibibyte);
}

CheckRequest check_request(const Job& job) {
  const Config& run = job.settings.run;
  if (run.text("check") != "none" && !has_density(*job.model.target)) {
    throw UsageError("--check needs gradients, and this model has no density");
  }
  return {run.text("check"), *job.model.target, job.options, run.flag("quiet")};
}

// How many ranks work on the chains, where mpirun has started them.
void share_out(Job& job, Exchange& ranks, bool profile) {
  const Config& run = job.settings.run;
  if (!runs_in_step(job.settings)) {
    if (profile) {
      throw UsageError(
          "--profile is of chains that ranks run together: it needs --shards, or a sampler on blocks such as dsgld");
    }
    job.dealt_over = &ranks;
    const int idle = ranks.size() - job.options.chains;
    if (idle > 0 && !run.flag("quiet")) {
      note("quasar: {} ranks for {} chains: {} of them have nothing to do\n", ranks.size(), job.options.chains, idle);
    }
    return;
  }
  if (ranks.size() > 1 || profile) job.options.exchange = &ranks;
  if (ranks.size() > 1 && run.text("check") != "none") {
    throw UsageError("--check works in one process: sample with mpirun, then check with --resume --check, without it");
  }
}

Job prepare(const Options& options, Exchange& ranks) {
  Job job{options.flags.resolve(), {}, {}, {}, {}, {}};
  const Config& run = job.settings.run;
  job.durability = {run.text("out"), run.flag("resume"), run.flag("overwrite"), run.integer("checkpoint_every")};
  if (ranks.rank() == 0) check_output(job.durability, options.flags.inputs(job.settings));
  job.options = sample_options(run);
  share_out(job, ranks, options.profile);
  if (job.options.keep == Keep::moments && job.options.save_warmup) {
    throw UsageError("--save-warmup stores draws, and --keep moments keeps none");
  }
  job.model = load_model(job.settings, job.options.exchange, ranks.rank() == 0);
  if (!run.flag("quiet")) {
    for (const std::string& one : job.model.notes) note("quasar: {}\n", one);
    for (const std::string& one : model_notes(job.settings, *job.model.target)) note("quasar: {}\n", one);
  }
  (void)select_variables(job.model.target->layout(), job.options.variables);  // unknown names, before any work
  if (!run.text("init").empty()) {
    job.options.initial = read_init(run.text("init"), *job.model.target, job.options.chains);
  }
  (void)check_request(job);  // what cannot be checked, before any work
  if (job.options.keep == Keep::moments && run.text("check") != "none") {
    throw UsageError("--check looks at draws, and --keep moments keeps none");
  }
  if (!run.text("held_out").empty()) job.held_out = predict_held_out(job.settings, job.model);
  return job;
}

RunEnd draw(const Job& job, const RunInfo& info, std::vector<RankTimes>* times) {
  std::signal(SIGPIPE, SIG_IGN);  // whoever reads the progress may leave; the run goes on
  std::signal(SIGXFSZ, SIG_IGN);  // a file at its limit is an error like a full disk, not the end
  std::vector<ChainProgress> progress(static_cast<std::size_t>(job.options.chains));
  const std::stop_source stop;
  const ProgressDisplay display(progress, job.options.schedule, job.settings.run.flag("quiet") || silent, stop);
  return sample_durably(
      {*job.model.target, *job.settings.sampler, job.settings.sampler_parameters, job.options, info,
       job.held_out.rows.get(), job.model.fitted.get(), job.dealt_over, times, job.held_out.names.numbers},
      job.durability, progress, stop.get_token());
}

void print_json(const Run& run, const RunSummary& summary, const std::optional<RunCheck>& check, const Job& job,
                std::span<const RankTimes> times) {
  Json json = to_json(summary, run.info);
  json["output"] = job.durability.out.string();
  json["stopped_early"] = run.info.stopped_early;
  if (job.tuned) json["tuned"] = to_json(*job.tuned);
  if (check) json["check"] = to_json(*check);
  if (!times.empty()) json["profile"] = profile_json(times);
  fmt::print("{}\n", as_utf8(json).dump(2));
}

int report(const Job& job, const Options& options, RunEnd end, std::span<const RankTimes> times) {
  const std::string out = job.durability.out.string();
  const bool tables = !options.json && !job.settings.run.flag("quiet");
  const bool check_wanted = end == RunEnd::complete && job.settings.run.text("check") != "none";
  const Run run = open_run_file(job.durability.out);
  const RunSummary summary = summarize_run(run);
  if (tables) {
    fmt::print("{}\n{} written\n", summary_text(summary, run.info, rows_shown), out);
  }
  const auto check = check_wanted ? check_run(run, check_request(job)) : std::nullopt;
  if (options.json) print_json(run, summary, check, job, times);
  if (!options.json && !times.empty()) fmt::print("{}{}", tables ? "\n" : "", profile_text(times));
  if (check && tables) print_check(*check, rows_shown);
  print_warnings(summary);
  if (check) {
    print_warnings(*check);
    write_check(job.durability.out, as_utf8(to_json(*check)).dump());
  }
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

int report_end(const Job& job, const Options& options, RunEnd end, std::span<const RankTimes> times) {
  if (end != RunEnd::stopped_in_warmup) return report(job, options, end, times);
  report_warmup(job, options);
  return interrupted;
}

// The run starts where the trials did.
void tune_first(Job& job) {
  job.tuned = tune_sampler(*job.model.target, job.settings);
  for (int chain = 0; job.settings.run.text("init").empty() && chain < job.options.chains; ++chain) {
    const Rng rng(job.options.seed, static_cast<std::uint64_t>(chain));
    job.options.initial.push_back(job.tuned->local.near(rng, {}));
  }
}

void require_log_likelihood(const Job& job) {
  if (!job.model.fitted || open_run_file(job.durability.out).log_likelihood) return;
  throw UsageError(
      fmt::format("{} is complete and has no log likelihood, which is stored when a run comes to its end; --overwrite "
                  "alone samples "
                  "anew",
                  job.durability.out.string()));
}

RunInfo description_of(const Job& job) {
  RunInfo info = describe(job.settings, job.model, job.options.initial);
  info.held_out_source = job.settings.run.text("held_out");
  info.held_out_hash = job.held_out.content_hash;
  return info;
}

// Files of one name may differ from machine to machine.
void require_same_on_all(Exchange& ranks, const RunInfo& info) {
  const std::string decisive =
      fmt::format("{} {} {} {}", info.configuration, info.data_hash, info.held_out_hash, info.init_hash);
  const bool same = all_have(ranks, fnv1a(decisive));
  together(ranks, [&] {
    if (!same) throw UsageError("the ranks do not read the same configuration, data or initial points");
  });
}

// All ranks come this way; what they do one by one they do between the same two meetings.
int run_sample(const Options& options, World& world) {
  OneProcess alone;
  Exchange& ranks = world.open() ? *world.exchange() : alone;
  std::optional<Job> prepared;
  RunInfo info;
  bool finished = false;
  together(ranks, [&] { prepared.emplace(prepare(options, ranks)); });
  if (prepared->settings.run.flag("tune") && !options.dry_run) {
    const auto all_do = prepared->options.exchange ? in_step : together;
    all_do(ranks, [&] { tune_first(*prepared); });
  }
  together(ranks, [&] {
    info = description_of(*prepared);
    if (world.leads()) finished = already_finished(prepared->durability, info);
  });
  require_same_on_all(ranks, info);
  const Job& job = *prepared;
  if (options.dry_run) {
    if (world.leads()) fmt::print("{}\n", job.settings.to_json().dump(2));
    return 0;
  }
  std::vector<RankTimes> times;
  RunEnd end = RunEnd::complete;
  if (!of_rank_0(ranks, finished)) {
    if (!job.held_out.note.empty() && !job.settings.run.flag("quiet")) {
      note("quasar: held out: {}\n", job.held_out.note);
    }
    if (world.leads()) warn_of_small_disk(job);
    end = draw(job, info, options.profile ? &times : nullptr);
  }
  int code = 0;
  together(ranks, [&] {
    if (!world.leads()) return;
    if (finished) {
      require_log_likelihood(job);
      note("quasar: {} is complete; nothing to resume\n", job.durability.out.string());
    }
    code = report_end(job, options, end, times);
  });
  return code;
}

}  // namespace

Command add_sample(CLI::App& app, World& world) {
  auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand("sample", "draw from the posterior of a model");
  options->flags.add_to(*command);
  command->add_flag("--dry-run", options->dry_run, "check everything, print the effective configuration, stop");
  command->add_flag("--json", options->json, "one JSON object on standard output");
  command->add_flag("--profile", options->profile,
                    "what the time of each rank went to, of ranks that work on a chain together");
  command->footer(
      "Examples:\n"
      "  quasar sample --model logistic --data examples/heart.csv\n"
      "  quasar sample --model logistic --data examples/heart.csv --sampler hmc --set leapfrog_steps=20\n"
      "  quasar sample examples/heart.toml --draws 2000\n"
      "quasar list samplers and quasar list models tell what --set may set.");
  return [options, &world] { return run_sample(*options, world); };
}

}  // namespace quasar::cli
