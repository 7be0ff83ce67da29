// quasar predict run.nc --data new.csv
#include "front/predict.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <csignal>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <quasar/config.hpp>
#include <quasar/errors.hpp>

#include "commands.hpp"
#include "diagnostics/wording.hpp"
#include "front/run_summary.hpp"
#include "front/text_table.hpp"
#include "io/durable_run.hpp"
#include "io/json_text.hpp"
#include "io/predictions_csv.hpp"
#include "param_flags.hpp"
#include "predict/row_averages.hpp"
#include "terminal.hpp"

namespace quasar::cli {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;
using diagnostics::counted;

constexpr ParamSpec flags[] = {
    {.name = "interval",
     .doc = "level of the central interval of a number",
     .type = ParamSpec::real,
     .init = "0.9",
     .min = 0.001,
     .max = 0.999},
    {.name = "draws",
     .doc = "use at most so many draws, evenly spread; 0: all",
     .type = ParamSpec::integer,
     .init = "0",
     .min = 0,
     .max = 1e12},
    {.name = "seed", .doc = "random seed", .type = ParamSpec::integer, .init = "1", .min = 0, .max = 9e15},
    {.name = "threads",
     .doc = "threads; 0: one per core. Predictions do not depend on it",
     .type = ParamSpec::integer,
     .init = "0",
     .min = 0,
     .max = 4096},
};

struct Options {
  std::string run, data, fold_in;
  Settings given;  // of the flags above
  std::optional<std::string> out;
  bool overwrite = false, quiet = false, json = false;
};

void check(const Options& options) {
  if (options.json && !options.out) {
    throw UsageError("--json takes standard output for itself; --out names the file of the predictions");
  }
  const std::string inputs[] = {options.run, options.data, options.fold_in};
  check_output(TableOutput{options.out, options.overwrite}, inputs);
}

PredictionSettings settings_of(const Options& options) {
  const Config config("predict", flags, options.given);
  return {config.real("interval"), config.integer("draws"), static_cast<std::uint64_t>(config.integer("seed")),
          static_cast<int>(config.integer("threads"))};
}

Json to_json(const Scores& scores) {
  if (scores.rows == 0 || scores.unpredicted > 0) return nullptr;
  Json json = Json::object();
  for_each_score(scores, [&](std::string_view name, double value) { json[std::string(name)] = value; });
  return json;
}

// What the user has to know of the numbers that were written.
std::vector<std::string> warnings_of(const Options& options, const Run& run, const Predictor& predictor,
                                     const PredictionSummary& summary) {
  std::vector<std::string> warnings;
  if (summary.not_finite > 0) {
    warnings.push_back(
        fmt::format("{}: row {}{} predicted as infinite or NaN: the numbers there, or those of a draw, are too large "
                    "for the model{}",
                    options.data, summary.first_not_finite + 1,
                    summary.not_finite == 1 ? " is" : fmt::format(" and {} more are", summary.not_finite - 1),
                    summary.scores.unpredicted > 0 ? "; there are no scores" : ""));
  }
  if (varying_weights(run).size() > 0) {
    warnings.emplace_back(
        "the step size of the run changes, and draws should weigh as it does: here all weigh the same");
  }
  const bool numbers = predictor.classes().empty();
  if (numbers && summary.scores.rows > 0 && summary.draws < least_draws_of_interval) {
    warnings.push_back(fmt::format("coverage is not known by fewer than {} draws", least_draws_of_interval));
  }
  if (!numbers && options.given.contains("interval")) {
    warnings.emplace_back("--interval is for numbers, and the response is a class");
  }
  return warnings;
}

void print_json(const Options& options, const Run& run, const Predictor& predictor, const PredictionSummary& summary) {
  Json json = {
      {"output", *options.out}, {"model", run.info.model}, {"rows", predictor.rows()}, {"draws", summary.draws}};
  if (!predictor.classes().empty()) json["classes"] = predictor.classes();
  json["scores"] = to_json(summary.scores);
  json["warnings"] = warnings_of(options, run, predictor, summary);
  fmt::print("{}\n", as_utf8(json).dump(2));
}

std::string report(const Options& options, const Predictor& predictor, const PredictionSummary& summary) {
  std::string text = fmt::format("{} predicted by {}{}\n", counted(predictor.rows(), "row", "rows"),
                                 counted(summary.draws, "draw", "draws"),
                                 options.out ? fmt::format("; {} written", *options.out) : "");
  if (summary.scores.rows == 0 || summary.scores.unpredicted > 0) return text;
  TextTable table({"<score", "value"});
  for_each_score(summary.scores, [&](std::string_view name, double value) {
    table.add({std::string(name), number(value)});
  });
  return text + "\n" + table.text();
}

int run_predict(const Options& options) {
  std::signal(SIGPIPE, SIG_IGN);  // a reader that left and a file at its limit are errors like a full disk
  std::signal(SIGXFSZ, SIG_IGN);
  if (options.data.empty()) throw UsageError("predict needs --data: the rows to predict");
  const PredictionSettings settings = settings_of(options);
  check(options);
  const Run run = open_run(options.run);
  const PredictedFile file = predict_file(run, options.run, options.data, options.fold_in);
  const auto& predictor = file.rows;
  if (!file.note.empty() && !options.quiet) note("quasar: {}: {}\n", options.data, file.note);
  TextOutput out = options.out ? TextOutput(fs::path(*options.out)) : TextOutput::to_standard_output();
  PredictionsCsv csv(*predictor, settings.interval, out);
  const PredictionSummary summary = predict(*run.source, run.layout.size(), *predictor, settings,
                                            [&](const PredictedBlock& block) { csv.add(block); });
  out.finish();
  if (options.out) out.commit(options.overwrite ? IfExists::replace : IfExists::fail);
  for (const std::string& warning : warnings_of(options, run, *predictor, summary)) note("warning: {}\n", warning);
  if (options.json) {
    print_json(options, run, *predictor, summary);
  } else if (!options.quiet) {
    const std::string text = report(options, *predictor, summary);
    if (options.out)
      fmt::print("{}", text);
    else
      note("{}", text);
  }
  return 0;
}

}  // namespace

Command add_predict(CLI::App& app) {
  auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand("predict", "what a fitted model says of new rows, with its uncertainty");
  command->add_option("file", options->run, "a run file (netCDF), or the folder run.nc.part of a run in progress")
      ->required();
  command->add_option("--data", options->data,
                      "the rows to predict: the columns that were fitted, found by name; the response may be missing. "
                      "Must be given");
  command->add_option("--fold-in", options->fold_in,
                      "ratings of users or items that were not fitted, by which they are predicted (bpmf)");
  command->add_option("--out", options->out, "the file to write (CSV); default: standard output");
  add_param_flags(*command, flags, options->given);
  command->add_flag("--overwrite", options->overwrite, "replace a file that exists");
  command->add_flag("--quiet", options->quiet, "no scores, no word of what was done");
  command->add_flag("--json", options->json, "one JSON object on standard output: rows, draws, scores; needs --out");
  return [options] { return run_predict(*options); };
}

}  // namespace quasar::cli
