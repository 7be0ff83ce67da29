// quasar diagnose run.nc
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <memory>

#include "commands.hpp"
#include "diagnostics/wording.hpp"
#include "io/durable_run.hpp"
#include "summary.hpp"

namespace quasar::cli {
namespace {

using Json = nlohmann::ordered_json;
using diagnostics::Diagnosis;
using diagnostics::ParameterValue;
using diagnostics::Problem;

constexpr std::size_t parameters_shown = 10;

Json to_json(const Problem& problem) {
  Json parameters = Json::array();
  for (const ParameterValue& parameter : problem.parameters) {
    parameters.push_back({{"name", parameter.name}, {"value", parameter.value}});
  }
  return {{"kind", problem.kind},
          {"what", problem.what},
          {"measure", problem.measure},
          {"parameters", parameters},
          {"advice", problem.advice}};
}

Json to_json(const Diagnosis& diagnosis) {
  Json problems = Json::array();
  for (const Problem& problem : diagnosis.problems) problems.push_back(to_json(problem));
  return {{"ok", diagnosis.problems.empty()}, {"problems", problems}, {"checked", diagnosis.checked}};
}

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
      ->required();
  command->add_flag("--json", options->json, "one JSON object on standard output");
  return [options] {
    const Diagnosis diagnosis = summarize_run(open_run(options->file)).diagnosis;
    if (options->json) {
      fmt::print("{}\n", to_json(diagnosis).dump(2));
    } else {
      print(diagnosis);
    }
    return 0;
  };
}

}  // namespace quasar::cli
