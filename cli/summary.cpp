// quasar summary run.nc
#include "summary.hpp"

#include <fmt/core.h>

#include <memory>

#include "commands.hpp"
#include "io/durable_run.hpp"
#include "terminal.hpp"

namespace quasar::cli {

void print_warnings(const RunSummary& summary) {
  for (const std::string& warning : warnings_of(summary)) warn(warning);
}

Command add_summary(CLI::App& app) {
  struct Options {
    std::string file;
    bool json = false;
  };
  auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand("summary", "means, errors, effective draws and R-hat of a run file");
  command->add_option("file", options->file, "a run file (netCDF), or the folder run.nc.part of a run in progress")
      ->required()
      ->type_name("RUN.NC");
  command->add_flag("--json", options->json, "one JSON object on standard output");
  return [options] {
    const Run run = open_run(options->file);
    const RunSummary summary = summarize_run(run);
    if (options->json) {
      fmt::print("{}\n", to_json(summary, run.info).dump(2));
    } else {
      fmt::print("{}", summary_text(summary, run.info, summary.rows.size()));
    }
    print_warnings(summary);
    return 0;
  };
}

}  // namespace quasar::cli
