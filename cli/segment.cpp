// quasar segment data.csv
#include "front/segment.hpp"

#include <fmt/format.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include <quasar/errors.hpp>

#include "commands.hpp"
#include "diagnostics/wording.hpp"
#include "front/segment_picture.hpp"
#include "front/segment_report.hpp"
#include "front/series.hpp"
#include "io/atomic_file.hpp"
#include "io/json_text.hpp"
#include "io/printable.hpp"
#include "io/text_output.hpp"
#include "param_flags.hpp"
#include "plot/svg.hpp"
#include "progress.hpp"
#include "terminal.hpp"

namespace quasar::cli {
namespace {

struct Options {
  std::string data;
  SeriesChoice choice;
  std::string missing = "keep";
  Settings given;  // of segment_params
  std::optional<std::string> out, picture;
  bool overwrite = false, quiet = false, json = false;
};

bool is_page(const std::string& picture) { return picture.ends_with(".html") || picture.ends_with(".htm"); }

void check_outputs(const Options& options) {
  const std::string inputs[] = {options.data};
  check_output(TableOutput{options.out, options.overwrite}, inputs);
  check_output(TableOutput{options.picture, options.overwrite, "--picture"}, inputs);
  if (options.out && options.picture && same_file(*options.out, *options.picture)) {
    throw UsageError("--out and --picture name the same file");
  }
  if (options.picture && !is_page(*options.picture) && !options.picture->ends_with(".svg")) {
    const std::filesystem::path name = *options.picture;
    const std::string drawn = std::filesystem::path(name).replace_extension(".svg").string();
    throw UsageError(
        fmt::format("--picture {}: a picture is NAME.svg, or a page NAME.html; for other kinds ask for {} and run "
                    "rsvg-convert {} -o {}",
                    name.string(), drawn, drawn, name.string()));
  }
}

IfMissing if_missing(const std::string& text) {
  if (text == "keep") return IfMissing::keep;
  if (text == "drop") return IfMissing::drop;
  if (text == "error") return IfMissing::error;
  throw UsageError(fmt::format("--missing = '{}': must be one of keep, drop, error", text));
}

// A file that cannot be written is told before the work.
void check_writable(const Options& options) {
  for (const auto& file : {options.out, options.picture}) {
    if (file) const AtomicFile removed_at_once(*file);
  }
}

template <class Write>
void put(const std::string& path, bool overwrite, const Write& write) {
  TextOutput output{std::filesystem::path(path)};
  write(output);
  output.finish();
  output.commit(overwrite ? IfExists::replace : IfExists::fail);
}

void write_files(const Options& options, const SegmentReport& report) {
  if (options.out) put(*options.out, options.overwrite, [&](TextOutput& out) { report.write_csv(out); });
  if (!options.picture) return;
  const Figure figure = picture_of(report.series, report.settings, report.found);
  put(*options.picture, options.overwrite,
      [&](TextOutput& out) { out.write(is_page(*options.picture) ? page_of(figure, report.text()) : svg(figure)); });
}

void print(const Options& options, const SegmentReport& report) {
  if (options.json) {
    nlohmann::ordered_json json = report.to_json();
    if (options.out) json["output"] = *options.out;
    if (options.picture) json["picture"] = *options.picture;
    fmt::print("{}\n", as_utf8(json).dump());
    return;
  }
  fmt::print("{}", report.text());
  std::vector<std::string> files;
  for (const auto& file : {options.out, options.picture}) {
    if (file) files.push_back(printable(*file));
  }
  if (!files.empty()) fmt::print("\n{} written\n", diagnostics::in_a_row(files, "and"));
}

// Nothing is half done: files are put in their place whole, at the end.
extern "C" void stop(int) { std::_Exit(interrupted); }

Segmentation segment_with_progress(const SeriesTable& series, const SegmentSettings& settings, bool quiet) {
  if (quiet || settings.method != SegmentMethod::ihmm_beam || terminal_size().columns == 0) {
    return segment(series.data, settings);
  }
  std::vector<ChainProgress> progress(static_cast<std::size_t>(settings.chains));
  const std::stop_source stops;
  const std::stop_callback at_once(stops.get_token(), [] { stop(SIGINT); });
  const ProgressDisplay display(progress, {.warmup = settings.warmup, .draws = settings.sweeps}, false, stops);
  return segment(series.data, settings, progress);
}

int run_segment(Options options) {
  std::signal(SIGINT, stop);
  std::signal(SIGPIPE, SIG_IGN);  // a reader that left and a file at its limit are errors like a full disk
  std::signal(SIGXFSZ, SIG_IGN);
  const SegmentSettings settings =
      segment_settings(config_of_flags("segment", segment_params(), options.given), options.given);
  options.choice.missing = if_missing(options.missing);
  options.choice.emission = settings.emission;
  check_outputs(options);
  const SeriesTable series = read_series(options.data, options.choice);
  check_series(series, settings.emission);
  check_writable(options);
  if (!options.quiet) {
    for (const std::string& one : series.notes) note("quasar: {}: {}\n", printable(options.data), one);
  }
  const Segmentation found = segment_with_progress(series, settings, options.quiet);
  const SegmentReport report{series, settings, found};
  write_files(options, report);
  if (options.json || !options.quiet) print(options, report);
  for (const std::string& warning : report.warnings()) warn(warning);
  return 0;
}

}  // namespace

Command add_segment(CLI::App& app) {
  auto options = std::make_shared<Options>();
  CLI::App* command =
      app.add_subcommand("segment", "which regimes a time series goes through, where they change, what comes next");
  command->add_option("data", options->data, "the series: CSV with a header, or packed; a row for every point in time")
      ->required()
      ->type_name("FILE");
  command
      ->add_option("--column", options->choice.columns,
                   "a column to segment; may be given several times. Default: all that hold numbers, but for one that "
                   "counts the rows")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
      ->type_name("NAME");
  command
      ->add_option("--sequence", options->choice.sequence,
                   "the column that tells several series apart; they share their states. Rows of one stand together")
      ->type_name("NAME");
  command->add_option("--time", options->choice.time, "the column that says when: for the tables and the picture")
      ->type_name("NAME");
  command
      ->add_option("--missing", options->missing,
                   "missing values are gaps that tell nothing, their rows are left out, or they are an error [keep]")
      ->type_name("keep|drop|error");
  add_param_flags(*command, segment_params(), options->given);
  for (const char* penalty : {"--lambda", "--lambda1", "--lambda2"}) command->get_option(penalty)->type_name("X");
  command->add_option("--out", options->out, "a table to write as well: the state of every row, and its level (CSV)")
      ->type_name("TABLE.CSV");
  command->add_option("--picture", options->picture, "a picture to write as well: NAME.svg, or a page NAME.html")
      ->type_name("FILE");
  command->add_flag("--overwrite", options->overwrite, "replace files that exist");
  command->add_flag("--quiet", options->quiet, "no text on standard output, no notes");
  command->add_flag("--json", options->json,
                    "one JSON object on standard output: everything, with the state of every row. States, rows and "
                    "steps are counted from 1");
  command->footer(
      "Example:\n"
      "  quasar segment examples/well-log.csv --picture well-log.svg\n"
      "  quasar segment data.csv --column price --time date --ahead 10 --out states.csv");
  return [options] { return run_segment(*options); };
}

}  // namespace quasar::cli
