// quasar reproduce EXPERIMENT: our numbers beside the published ones.
#include <fmt/core.h>

#include <chrono>
#include <csignal>
#include <exception>
#include <filesystem>
#include <memory>
#include <optional>

#include <quasar/errors.hpp>
#include <quasar/experiment.hpp>
#include <quasar/registry.hpp>

#include "commands.hpp"
#include "front/figure_files.hpp"
#include "front/registry_json.hpp"
#include "front/text_table.hpp"
#include "terminal.hpp"

namespace quasar::cli {
namespace {

constexpr ParamSpec seed_param[] = {
    {.name = "seed", .doc = "random seed", .type = ParamSpec::integer, .init = "1", .min = 0, .max = 9e15}};

void print_text(const ExperimentEntry& entry, const ExperimentResult& result, double seconds) {
  fmt::print("{}: {}\n{}\n\n", entry.name, entry.doc, entry.paper);
  for (const auto& [name, value] : result.settings) fmt::print("{} = {}\n", name, value);
  fmt::print("\n");
  TextTable table({"<method", "<quantity", "ours", "mcse", "printed"});
  for (const ExperimentRow& row : result.rows) {
    table.add({row.method, row.quantity, fmt::format("{:.5g}", row.value),
               row.mcse ? fmt::format("{:.2g}", *row.mcse) : "",
               row.printed ? fmt::format("{:.5g}", *row.printed) : "none"});
  }
  fmt::print("{}", table.text());
  fmt::print("\n{:.1f} s\n", seconds);
}

}  // namespace

Command add_reproduce(CLI::App& app) {
  struct Options {
    std::string experiment;
    ExperimentOptions run;
    std::string seed = "1";
    std::string plot;
    bool overwrite = false, json = false;
  };
  auto options = std::make_shared<Options>();
  CLI::App* command =
      app.add_subcommand("reproduce", "run a published experiment: our numbers beside the printed ones");
  command->add_option("experiment", options->experiment, "its name; see quasar list experiments")
      ->required()
      ->type_name("EXPERIMENT");
  command->add_option("--seed", options->seed, "random seed [1]")->type_name("N");
  command->add_option("--data-dir", options->run.data_dir, "folder of the data sets that the experiment reads")
      ->type_name("FOLDER");
  command
      ->add_option("--work-dir", options->run.work_dir,
                   "folder where a long experiment (its page says so) keeps its finished parts, so that it can be "
                   "stopped and go on")
      ->type_name("FOLDER");
  command->add_flag("--quick", options->run.quick, "fewer draws: minutes become seconds");
  const CLI::Option* plot =
      command->add_option("--plot", options->plot, "draw the paper's figures as SVG into this folder [.]")
          ->type_name("FOLDER")
          ->expected(0, 1);
  command->add_flag("--overwrite", options->overwrite, "replace figures that exist");
  command->add_flag("--json", options->json, "one JSON object on standard output");
  command->footer("Example:\n  quasar reproduce sghmc-double-well --quick --plot figures");
  return [options, plot] {
    std::signal(SIGXFSZ, SIG_IGN);  // a file at its limit is an error like a full disk
    const ExperimentEntry& entry = find_experiment(options->experiment);
    options->run.seed =
        static_cast<std::uint64_t>(Config("reproduce", seed_param, {{"seed", options->seed}}).integer("seed"));
    const std::string& folder = options->run.data_dir;
    if (!folder.empty() && !std::filesystem::is_directory(folder)) throw DataError(folder + ": no such folder");
    if (terminal_size().rows > 0) options->run.on_method = [](std::string_view method) { note("{} ...\n", method); };
    std::optional<FigureFiles> files;
    if (plot->count() > 0) {
      files.emplace(options->plot.empty() ? "." : options->plot, std::string(entry.name), options->overwrite);
    }
    const auto begin = std::chrono::steady_clock::now();
    const ExperimentResult result = entry.run(options->run);
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    std::vector<std::string> figures;
    std::exception_ptr failure;  // told when the numbers are out, which may have taken hours
    try {
      if (files) figures = files->write(result, options->run.quick);
    } catch (const DataError&) {
      failure = std::current_exception();
    }
    if (options->json) {
      auto found = to_json(entry, result, seconds);
      if (files) found["figures"] = figures;
      fmt::print("{}\n", found.dump(2));
    } else {
      print_text(entry, result, seconds);
      for (const std::string& file : figures) fmt::print("{} written\n", file);
    }
    if (failure) std::rethrow_exception(failure);
    if (files && figures.empty()) note("quasar: the paper has no figure of this experiment\n");
    return 0;
  };
}

}  // namespace quasar::cli
