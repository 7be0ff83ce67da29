// quasar compare a.nc b.nc …, and quasar compare --model M --samplers a,b --budget B
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>

#include <quasar/errors.hpp>

#include "commands.hpp"
#include "compare/comparison_page.hpp"
#include "compare/comparison_report.hpp"
#include "compare_samplers.hpp"
#include "front/variable_names.hpp"
#include "io/durable_run.hpp"
#include "io/json_text.hpp"
#include "io/printable.hpp"
#include "io/toml_config.hpp"
#include "param_flags.hpp"
#include "report/page.hpp"
#include "run_flags.hpp"
#include "terminal.hpp"

namespace quasar::cli {
namespace {

constexpr std::size_t differences_shown = 10;
constexpr int run_failed = 4;

struct Options {
  RunFlags flags{Task::compare};
  std::vector<std::string> files;  // of runs; or one configuration
  std::string samplers, budget, out_dir;
  ComparisonOptions comparison;
  std::optional<std::string> page;
  bool json = false, no_ksd = false;
};

bool overwrites(const Options& options) { return options.flags.given().run.contains("overwrite"); }

void check_page(const Options& options) {
  check_output(TableOutput{options.page, overwrites(options), "--page"}, options.files);
}

// Flags that only runs still to be made have a meaning for.
void refuse_run_flags(const Options& options) {
  GivenSettings given = options.flags.given();
  given.run.erase("overwrite");  // of the page
  given.run.erase("quiet");
  std::vector<std::string> flags;
  for (const auto& [key, value] : given.run) flags.push_back(flag_of(key));
  if (!given.sampler.empty() || !given.model.empty()) flags.emplace_back("--set");
  if (!options.budget.empty()) flags.emplace_back("--budget");
  if (!options.out_dir.empty()) flags.emplace_back("--out-dir");
  if (!flags.empty())
    throw UsageError(fmt::format("{} is for runs to be made: name their samplers by --samplers", flags.front()));
}

FinishedRuns open_files(const Options& options) {
  refuse_run_flags(options);
  if (options.files.size() < 2) {
    throw UsageError("compare needs two run files or more, or --model and --samplers to make runs");
  }
  FinishedRuns opened;
  const std::vector<std::string> names = names_of_files(options.files);
  for (std::size_t i = 0; i < names.size(); ++i) {
    opened.runs.push_back({names[i], options.files[i], open_run(options.files[i])});
  }
  return opened;
}

FinishedRuns make_runs(const Options& options) {
  SamplersRequest request{.samplers = variable_names(options.samplers),
                          .budget = options.budget,
                          .out_dir = options.out_dir,
                          .ksd = !options.no_ksd,
                          .given = options.flags.given(),
                          .page = options.page};
  if (options.files.size() > 1 || (options.files.size() == 1 && !options.files.front().ends_with(".toml"))) {
    throw UsageError("--samplers makes its own runs: give no run files; one configuration, NAME.toml, is allowed");
  }
  if (!options.files.empty()) request.file = read_toml(options.files.front());
  if (request.budget.empty()) {
    throw UsageError(
        "--samplers needs --budget: what each chain may spend after warm-up, 20000 gradients or 10s of time for "
        "instance");
  }
  return run_samplers(request);
}

void print_json(const Comparison& comparison, const FinishedRuns& runs) {
  nlohmann::ordered_json json = to_json(comparison);
  if (!runs.failed.empty()) json["failed"] = nlohmann::ordered_json::array();
  for (const auto& [sampler, why] : runs.failed) json["failed"].push_back({{"sampler", sampler}, {"why", why}});
  fmt::print("{}\n", as_utf8(json).dump(2));
}

int run_compare(const Options& options) {
  check_page(options);
  const FinishedRuns runs = options.samplers.empty() ? open_files(options) : make_runs(options);
  if (runs.stopped) {
    note("quasar: stopped; {} complete, --resume goes on\n", runs.runs.empty() ? "no run is" : "finished runs stay");
    return interrupted;
  }
  if (runs.runs.size() < 2 && !runs.failed.empty()) {
    throw RunError(fmt::format("{} of {} samplers failed: nothing is left to compare", runs.failed.size(),
                               runs.failed.size() + runs.runs.size()));
  }
  const Comparison comparison = compare_runs(runs.runs, options.comparison);
  if (options.json) {
    print_json(comparison, runs);
  } else {
    fmt::print("{}", text_of(comparison, differences_shown));
  }
  if (options.page) {
    write_page(*options.page, page_of(comparison), overwrites(options) ? IfExists::replace : IfExists::fail);
    if (!options.json) fmt::print("\n{} written\n", printable(*options.page));
  }
  for (const std::string& warning : comparison.warnings) warn(warning);
  for (const auto& [sampler, why] : runs.failed) warn(fmt::format("{} failed: {}", sampler, why));
  return runs.failed.empty() ? 0 : run_failed;
}

}  // namespace

Command add_compare(CLI::App& app) {
  auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand(
      "compare", "runs side by side: effective draws by second and by gradient, and whether they agree");
  command
      ->add_option("files", options->files,
                   "run files of one posterior; with --samplers at most a configuration, NAME.toml")
      ->type_name("RUN.NC");
  command
      ->add_option("--reference", options->comparison.reference,
                   "the run that others are measured by: its name, file or sampler; default: the first that is "
                   "exact and has converged")
      ->type_name("RUN.NC");
  command->add_flag("--allow-different", options->comparison.allow_different, "also runs of different models or data");
  command->add_option("--page", options->page, "a page to write as well (HTML, stands alone)")->type_name("PAGE.HTML");
  command->add_flag("--json", options->json, "one JSON object on standard output: all parameters of all runs");
  command->add_option("--samplers", options->samplers, "make the runs first, by these samplers, separated by commas")
      ->type_name("SAMPLER,...");
  command
      ->add_option("--budget", options->budget,
                   "what each chain may spend after warm-up: whole gradients (20000) or seconds (10s)")
      ->type_name("BUDGET");
  command->add_option("--out-dir", options->out_dir, "folder of the runs, SAMPLER.nc [compare-MODEL]")
      ->type_name("FOLDER");
  command->add_flag("--no-ksd", options->no_ksd, "no kernel Stein discrepancy of the runs that are made");
  options->flags.add_flags_to(*command);
  return [options] { return run_compare(*options); };
}

}  // namespace quasar::cli
