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
#include "front/prediction_report.hpp"
#include "front/text_table.hpp"
#include "io/durable_run.hpp"
#include "io/json_text.hpp"
#include "io/predictions_csv.hpp"
#include "param_flags.hpp"
#include "terminal.hpp"

namespace quasar::cli {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;
using diagnostics::counted;

struct Options {
  std::string run, data, fold_in;
  Settings given;  // of prediction_params
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

void print_json(const std::string& out, const PredictionReport& report) {
  Json json = {{"output", out}};
  json.update(report.to_json());
  fmt::print("{}\n", as_utf8(json).dump(2));
}

std::string text_of(const Options& options, const Predictor& predictor, const PredictionSummary& summary) {
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
  const PredictionSettings settings =
      prediction_settings(config_of_flags("predict", prediction_params(), options.given));
  check(options);
  const Run run = open_run(options.run);
  const PredictedFile file = predict_file(run, options.run, options.data, options.fold_in);
  const auto& predictor = file.rows;
  if (!file.note.empty() && !options.quiet) note("quasar: {}: {}\n", options.data, file.note);
  TextOutput out = options.out ? TextOutput(fs::path(*options.out)) : TextOutput::to_standard_output();
  PredictionsCsv csv(*predictor, file.names, settings.interval, out);
  const PredictionSummary summary = predict(*run.source, run.layout.size(), *predictor, settings,
                                            [&](const PredictedBlock& block) { csv.add(block); });
  out.finish();
  if (options.out) out.commit(options.overwrite ? IfExists::replace : IfExists::fail);
  const PredictionReport report{run, *predictor, summary, options.data, options.given, file.names};
  for (const std::string& warning : report.warnings()) warn(warning);
  if (options.json) {
    print_json(*options.out, report);
  } else if (!options.quiet) {
    const std::string text = text_of(options, *predictor, summary);
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
      ->required()
      ->type_name("RUN.NC");
  command
      ->add_option("--data", options->data,
                   "the rows to predict: the columns that were fitted, found by name; the response may be missing. "
                   "Must be given")
      ->type_name("FILE");
  command
      ->add_option("--fold-in", options->fold_in,
                   "ratings of users or items that were not fitted, by which they are predicted (bpmf, mf)")
      ->type_name("FILE");
  command->add_option("--out", options->out, "the file to write (CSV); default: standard output")
      ->type_name("TABLE.CSV");
  add_param_flags(*command, prediction_params(), options->given);
  command->add_flag("--overwrite", options->overwrite, "replace a file that exists");
  command->add_flag("--quiet", options->quiet, "no scores, no word of what was done");
  command->add_flag("--json", options->json, "one JSON object on standard output: rows, draws, scores; needs --out");
  command->footer(
      "Example:\n"
      "  quasar sample --model logistic --data examples/heart-fit.csv --out heart.nc\n"
      "  quasar predict heart.nc --data examples/heart-new.csv --out predictions.csv");
  return [options] { return run_predict(*options); };
}

}  // namespace quasar::cli
