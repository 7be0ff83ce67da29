// quasar sample
#include <fmt/core.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <memory>
#include <sstream>

#include <quasar/errors.hpp>
#include <quasar/layout.hpp>
#include <quasar/registry.hpp>
#include <quasar/sample.hpp>

#include "commands.hpp"
#include "io/csv.hpp"
#include "io/init.hpp"
#include "io/input_file.hpp"
#include "io/run_file.hpp"
#include "models/prior_only.hpp"
#include "progress.hpp"
#include "run_settings.hpp"
#include "summary.hpp"
#include "terminal.hpp"

namespace quasar::cli {
namespace {

using Json = nlohmann::ordered_json;
constexpr std::size_t rows_shown = 40;

struct Options {
  RunFlags flags;
  bool dry_run = false, json = false;
};

// Everything checked and ready: nothing that follows can fail for a reason that could have been known before.
struct Job {
  RunSettings settings;
  std::unique_ptr<Target> target;
  SampleOptions options;
  std::string data_hash;
};

std::vector<std::string> split_at_commas(const std::string& text) {
  std::vector<std::string> parts;
  if (text.empty()) return parts;
  std::istringstream in(text + ",");
  for (std::string part; std::getline(in, part, ',');) {
    const std::size_t first = part.find_first_not_of(' '), last = part.find_last_not_of(' ');
    if (first == std::string::npos) throw UsageError(fmt::format("--variables '{}': a name is missing", text));
    parts.push_back(part.substr(first, last - first + 1));
  }
  return parts;
}

void check_output(const Config& run) {
  const std::filesystem::path out = run.text("out");
  std::error_code ignored;
  if (std::filesystem::exists(out, ignored) && !run.flag("overwrite")) {
    throw UsageError(fmt::format("{} exists; --overwrite replaces it, --out names another file", out.string()));
  }
  check_writable(out);
}

std::unique_ptr<Target> make_target(const RunSettings& settings) {
  const ModelEntry& model = *settings.model;
  const std::string& data = settings.run.text("data");
  if (model.needs_data && data.empty()) throw UsageError(fmt::format("the model {} needs --data", model.name));
  if (!model.needs_data && !data.empty()) throw UsageError(fmt::format("the model {} takes no --data", model.name));
  if (!model.needs_data) return model.make(settings.model_parameters, nullptr);
  const Table table = read_csv(data);
  return model.make(settings.model_parameters, &table);
}

SampleOptions sample_options(const Config& run) {
  SampleOptions options;
  options.chains = static_cast<int>(run.integer("chains"));
  options.schedule = {run.integer("warmup"), run.integer("draws"), run.integer("thin")};
  options.seed = static_cast<std::uint64_t>(run.integer("seed"));
  options.threads = static_cast<int>(run.integer("threads"));
  options.save_warmup = run.flag("save_warmup");
  options.variables = split_at_commas(run.text("variables"));
  return options;
}

// Draws are kept in memory until the run ends.
void check_memory(const SampleOptions& options, Index values) {
  constexpr double statistics = 10, gibibyte = 1024.0 * 1024 * 1024;
  const auto kept = static_cast<double>(options.schedule.kept(options.schedule.draws) +
                                        (options.save_warmup ? options.schedule.kept(options.schedule.warmup) : 0));
  const double needed = 8 * options.chains * kept * (static_cast<double>(values) + statistics);
  const double there = static_cast<double>(sysconf(_SC_PHYS_PAGES)) * static_cast<double>(sysconf(_SC_PAGESIZE));
  if (needed < 0.8 * there) return;
  throw UsageError(fmt::format(
      "the draws would take {:.3g} GiB of memory, and there are {:.3g}; --thin, --variables or fewer draws need less",
      needed / gibibyte, there / gibibyte));
}

Job prepare(const RunFlags& flags) {
  Job job{flags.resolve(), nullptr, {}, {}};
  const Config& run = job.settings.run;
  check_output(run);
  job.options = sample_options(run);
  job.target = make_target(job.settings);
  if (job.settings.model->needs_data) job.data_hash = content_hash(run.text("data"));
  if (run.flag("prior_only")) job.target = without_likelihood(std::move(job.target));
  check_memory(job.options, select_variables(job.target->layout(), job.options.variables).layout.size());
  if (!run.text("init").empty()) job.options.initial = read_init(run.text("init"), *job.target, job.options.chains);
  return job;
}

RunData draw(const Job& job) {
  std::vector<ChainProgress> progress(static_cast<std::size_t>(job.options.chains));
  const std::stop_source stop;
  const ProgressDisplay display(progress, job.options.schedule, job.settings.run.flag("quiet"), stop);
  return sample(*job.target, *job.settings.sampler, job.settings.sampler_parameters, job.options, progress,
                stop.get_token());
}

void describe(const Job& job, RunData& run) {
  run.info.model = job.settings.model->name;
  run.info.data_source = job.settings.run.text("data");
  run.info.data_hash = job.data_hash;
  run.info.configuration = job.settings.to_json().dump();
}

int run_sample(const Options& options) {
  const Job job = prepare(options.flags);
  if (options.dry_run) {
    fmt::print("{}\n", job.settings.to_json().dump(2));
    return 0;
  }
  std::signal(SIGPIPE, SIG_IGN);  // whoever reads the progress may leave; the run goes on
  RunData run = draw(job);
  describe(job, run);
  const std::string& out = job.settings.run.text("out");
  const bool drawn = common_draws(run.sampling) > 0;
  if (drawn || common_draws(run.warmup) > 0)
    write_run(out, run, job.settings.run.flag("overwrite") ? IfExists::replace : IfExists::fail);
  if (!drawn) {
    note("quasar: stopped in warm-up; {}\n", run.warmup.empty() ? "nothing was saved" : out + " has the warm-up draws");
    return interrupted;
  }
  const RunSummary summary = summarize_run(run);
  if (options.json) {
    Json json = to_json(summary, run.info);
    json["output"] = out;
    json["stopped_early"] = run.info.stopped_early;
    fmt::print("{}\n", json.dump(2));
  } else if (!job.settings.run.flag("quiet")) {
    print_summary(summary, run.info, rows_shown);
    fmt::print("\n{} written\n", out);
  }
  print_warnings(summary);
  return run.info.stopped_early ? interrupted : 0;
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
