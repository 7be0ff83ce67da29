// quasar diagnose run.nc
#include <fmt/format.h>

#include <memory>

#include "commands.hpp"
#include "diagnostics/wording.hpp"
#include "front/run_summary.hpp"
#include "io/durable_run.hpp"

namespace quasar::cli {
namespace {

using diagnostics::Diagnosis;
using diagnostics::Problem;

constexpr std::size_t parameters_shown = 10;

void print(const Diagnosis& diagnosis) {
  const std::size_t count = diagnosis.problems.size();
  if (count == 0) {
    fmt::print("nothing is wrong\n");
  } else {
    fmt::print("{}, the gravest first\n", diagnostics::counted(std::ssize(diagnosis.problems), "problem", "problems"));
  }
  for (std::size_t i = 0; i < count; ++i) {
    const Problem& problem = diagnosis.problems[i];
    fmt::print("\n{}. {}\n", i + 1, problem.what);
    if (!problem.parameters.empty()) fmt::print("   {}\n", list_parameters(problem, parameters_shown));
    fmt::print("   try: {}\n", problem.advice);
  }
  fmt::print("\nchecked: {}\n", fmt::join(diagnosis.checked, ", "));
}

}  // namespace

Command add_diagnose(CLI::App& app) {
  struct Options {
    std::string file;
    bool json = false;
  };
  auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand("diagnose", "what is wrong with a run, in which parameters, and what to try");
  command->add_option("file", options->file, "a run file (netCDF), or the folder run.nc.part of a run in progress")
      ->required()
      ->type_name("RUN.NC");
  command->add_flag("--json", options->json, "one JSON object on standard output");
  return [options] {
    const RunSummary summary = summarize_run(open_run(options->file));
    if (options->json) {
      fmt::print("{}\n", to_json(summary.diagnosis).dump(2));
    } else {
      print(summary.diagnosis);
      const std::string kept = what_is_kept(summary);
      if (!kept.empty()) fmt::print("{}\n", kept);
    }
    return 0;
  };
}

}  // namespace quasar::cli
