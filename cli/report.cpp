// quasar report run.nc
#include "report/report.hpp"

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include <csignal>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "commands.hpp"
#include "io/durable_run.hpp"
#include "io/json_text.hpp"
#include "param_flags.hpp"
#include "report/page.hpp"

namespace quasar::cli {
namespace {

namespace fs = std::filesystem;

struct Options {
  std::string file;
  std::optional<std::string> out;
  bool overwrite = false, json = false;
};

// run.nc and run.nc.part become run.html, beside the run.
std::string default_output(const std::string& file) {
  fs::path path = file;
  if (!path.has_filename()) path = path.parent_path();  // "run.nc.part/"
  if (path.extension() == ".part") path.replace_extension();
  if (path.extension() == ".nc") path.replace_extension();
  return path.string() + ".html";
}

int run_report(const Options& options) {
  std::signal(SIGXFSZ, SIG_IGN);  // a file at its limit is an error like a full disk
  const std::string out = options.out.value_or(default_output(options.file));
  const std::string inputs[] = {options.file};
  check_output(TableOutput{out, options.overwrite}, inputs);
  const std::string page = report_page(open_run(options.file));
  write_page(out, page, options.overwrite ? IfExists::replace : IfExists::fail);
  if (options.json) {
    const nlohmann::ordered_json json = {{"output", out}, {"bytes", page.size()}};
    fmt::print("{}\n", as_utf8(json).dump(2));
  } else {
    fmt::print("{} written ({})\n", out, size_text(page.size()));
  }
  return 0;
}

}  // namespace

Command add_report(CLI::App& app) {
  auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand("report", "tables and pictures of a run as one HTML file that loads nothing");
  command->add_option("file", options->file, "a run file (netCDF), or the folder run.nc.part of a run in progress")
      ->required()
      ->type_name("RUN.NC");
  command->add_option("--out", options->out, "the file to write; default: run.html beside run.nc")
      ->type_name("PAGE.HTML");
  command->add_flag("--overwrite", options->overwrite, "replace a file that exists");
  command->add_flag("--json", options->json, "one JSON object on standard output");
  return [options] { return run_report(*options); };
}

}  // namespace quasar::cli
