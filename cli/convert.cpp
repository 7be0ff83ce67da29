// quasar convert run.nc --to stan-csv|csv|json
#include <fmt/core.h>

#include <csignal>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <quasar/errors.hpp>
#include <quasar/layout.hpp>

#include "commands.hpp"
#include "front/variable_names.hpp"
#include "io/draws_csv.hpp"
#include "io/draws_json.hpp"
#include "io/durable_run.hpp"
#include "io/moments_group.hpp"
#include "io/stan_csv.hpp"
#include "io/stan_settings.hpp"
#include "terminal.hpp"

namespace quasar::cli {
namespace {

namespace fs = std::filesystem;

struct Options {
  std::string file, format, variables;
  std::optional<std::string> out;
  bool overwrite = false;

  IfExists if_exists() const { return overwrite ? IfExists::replace : IfExists::fail; }
};

void check_format(const std::string& format) {
  if (format.empty()) throw UsageError("convert needs --to: stan-csv, csv or json");
  const bool known = format == "stan-csv" || format == "csv" || format == "json";
  if (!known) throw UsageError(fmt::format("--to '{}': there are stan-csv, csv and json", format));
}

void check_outputs(const Options& options, const std::vector<fs::path>& files) {
  std::error_code ignored;
  for (const fs::path& file : files) {
    if (fs::equivalent(file, options.file, ignored)) {
      throw UsageError(fmt::format("{} is the run itself; --out names another file", file.string()));
    }
    if (!options.overwrite && fs::exists(file, ignored)) {
      throw UsageError(fmt::format("{} exists; --overwrite replaces it, --out names another file", file.string()));
    }
  }
}

// run.nc and run.nc.part become run; the name of one CSV file, F.csv, becomes F.
fs::path stan_base(const Options& options) {
  fs::path base = options.out.value_or(options.file);
  if (!base.has_filename()) throw DataError(fmt::format("{}: names no file", base.empty() ? "''" : base.string()));
  if (!options.out && base.extension() == ".part") base.replace_extension();
  if (base.extension() == (options.out ? ".csv" : ".nc")) base.replace_extension();
  return base;
}

void convert_to_stan_csv(const Options& options, const Run& run, const Selection& selection) {
  const fs::path base = stan_base(options);
  check_outputs(options, stan_csv_files(run, base));
  write_stan_csv(run, selection, base, options.if_exists());
}

void convert_to_text(const Options& options, const Run& run, const Selection& selection) {
  if (options.out) check_outputs(options, {*options.out});
  TextOutput out = options.out ? TextOutput(fs::path(*options.out)) : TextOutput::to_standard_output();
  const auto write = options.format == "csv" ? write_draws_csv : write_draws_json;
  write(run, selection, out);
  out.finish();
  if (options.out) out.commit(options.if_exists());
}

// Stan's readers take a warm-up only from samplers of trajectories; a plain table has no column for it.
bool leaves_out_warmup(const Options& options, const Run& run) {
  if (!run.source->has(Phase::warmup) || options.format == "json") return false;
  return options.format == "csv" || !stan_shape(run).trajectories;
}

int run_convert(const Options& options) {
  std::signal(SIGPIPE, SIG_IGN);  // a reader that left and a file at its limit are errors like a full disk
  std::signal(SIGXFSZ, SIG_IGN);
  check_format(options.format);
  Run run = open_run(options.file);
  if (run.keep() == Keep::moments && options.format != "json") {
    throw UsageError(fmt::format("{} keeps mean and sd and no draws; --to json holds them", options.file));
  }
  const std::vector<std::string> names = variable_names(options.variables);
  const bool draws = run.keep() != Keep::moments;
  const Selection selection = select_variables(run.layout, draws ? names : std::vector<std::string>());
  if (!run.moments.chains.empty()) run.moments = selected(run.moments, names);
  if (options.format == "stan-csv") {
    convert_to_stan_csv(options, run, selection);
  } else {
    convert_to_text(options, run, selection);
  }
  if (leaves_out_warmup(options, run)) note("quasar: the warm-up is left out; --to json holds it\n");
  return 0;
}

}  // namespace

Command add_convert(CLI::App& app) {
  auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand("convert", "write the draws of a run file as Stan CSV, CSV or JSON");
  command->add_option("file", options->file, "a run file (netCDF), or the folder run.nc.part of a run in progress")
      ->required()
      ->type_name("RUN.NC");
  command->add_option("--to", options->format, "the format to write; must be given")->type_name("stan-csv|csv|json");
  command
      ->add_option("--out", options->out,
                   "csv and json: the file to write, default standard output; stan-csv: F of F_1.csv, F_2.csv ..., "
                   "default the name of the run file")
      ->type_name("FILE");
  command->add_option("--variables", options->variables, "only these, separated by commas")->type_name("NAMES");
  command->add_flag("--overwrite", options->overwrite, "replace files that exist");
  command->footer("Example:\n  quasar convert run.nc --to csv --out draws.csv");
  return [options] { return run_convert(*options); };
}

}  // namespace quasar::cli
