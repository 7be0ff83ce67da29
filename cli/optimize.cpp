// quasar optimize
#include "solvers/optimize.hpp"

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include <memory>
#include <string>
#include <vector>

#include <quasar/errors.hpp>
#include <quasar/layout.hpp>
#include <quasar/rng.hpp>

#include "commands.hpp"
#include "core/initial_point.hpp"
#include "front/load_model.hpp"
#include "front/text_table.hpp"
#include "io/init.hpp"
#include "io/json_text.hpp"
#include "optimize_problem.hpp"
#include "run_flags.hpp"
#include "terminal.hpp"

namespace quasar::cli {
namespace {

using Json = nlohmann::ordered_json;

struct Options {
  RunFlags flags{Task::optimize};
  ProblemFlags problem;
};

struct Mode {
  std::string model;
  Optimum optimum;
  std::vector<std::string> names;
  Vec values;  // of the model's variables
};

OptimizeOptions optimize_options(const Config& run) {
  const bool lbfgs = run.text("method") == "lbfgs";
  return {.method = lbfgs ? OptimizeOptions::lbfgs : OptimizeOptions::gradient_descent,
          .max_iterations = run.integer("max_iterations"),
          .tolerance = run.real("tolerance")};
}

Optimum find_optimum(Target& target, const Vec& start, const RunSettings& settings) {
  const Config& model = settings.model_parameters;
  try {
    return optimize(target, start, optimize_options(settings.run));
  } catch (const RunError& error) {
    if (!model.values().contains("precision") || model.text("precision") != "float") throw;
    throw RunError(fmt::format("{}. The model calculates in floats: try --set model.precision=double", error.what()));
  }
}

Mode find_mode(const RunSettings& settings) {
  const LoadedModel model = load_model(settings);
  for (const std::string& one : model.notes) note("quasar: {}\n", one);
  Target& target = *model.target;
  const Rng rng(static_cast<std::uint64_t>(settings.run.integer("seed")));
  ChainSpec start;
  const std::string& init = settings.run.text("init");
  if (!init.empty()) start.initial = read_init(init, target, 1).front();
  // the point where the first chain of a sampler would start
  const InitialPoint from = find_initial_point(target, start, rng.child("initial"));
  Mode mode{model.name, find_optimum(target, from.x, settings), element_names(target.layout()), {}};
  mode.optimum.gradients += from.grad_evals;
  mode.values.resize(target.layout().size());
  target.constrain(mode.optimum.x, mode.values, rng.child("mode"));
  return mode;
}

Json to_json(const Mode& mode, const RunSettings& settings) {
  const Optimum& optimum = mode.optimum;
  Json parameters = Json::array();
  for (std::size_t i = 0; i < mode.names.size(); ++i) {
    parameters.push_back({{"name", mode.names[i]}, {"value", mode.values[static_cast<Index>(i)]}});
  }
  return {{"model", mode.model},
          {"method", settings.run.text("method")},
          {"stop", to_string(optimum.stop)},
          {"log_density", optimum.logp},
          {"gradient_norm", optimum.gradient_norm},
          {"iterations", optimum.iterations},
          {"gradient_evaluations", optimum.gradients},
          {"parameters", parameters}};
}

void print(const Mode& mode, const RunSettings& settings) {
  const Optimum& optimum = mode.optimum;
  const std::string& data = settings.run.text("data");
  fmt::print("{}{}, {}: log density {:.8g}, gradient norm {:.2g}; {} iterations, {} gradients; {}\n\n", mode.model,
             data.empty() ? "" : " on " + data, settings.run.text("method"), optimum.logp, optimum.gradient_norm,
             optimum.iterations, optimum.gradients, to_string(optimum.stop));
  TextTable table({"<", "mode"});
  for (std::size_t i = 0; i < mode.names.size(); ++i) {
    table.add({mode.names[i], number(mode.values[static_cast<Index>(i)], 6)});
  }
  fmt::print("{}", table.text());
}

void warn(const Optimum& optimum) {
  if (optimum.stop == StopReason::iteration_limit) {
    note("warning: not converged: the gradient is {:.2g} long after {} iterations. Try more --max-iterations\n",
         optimum.gradient_norm, optimum.iterations);
  } else if (optimum.stop == StopReason::precision) {
    note("warning: the gradient is {:.2g} long, and rounding hides any further rise. Try a greater --tolerance\n",
         optimum.gradient_norm);
  }
}

int run_optimize(const Options& options) {
  if (!options.problem.problem.empty()) {
    if (options.flags.has_file()) throw UsageError("--problem takes no configuration file; its data go to --data");
    return solve_problem(options.problem, options.flags.given());
  }
  if (options.problem.any_given()) throw UsageError("--onto, --out and --overwrite go with --problem alone");
  const RunSettings settings = options.flags.resolve();
  const Mode mode = find_mode(settings);
  if (options.problem.json) {
    fmt::print("{}\n", as_utf8(to_json(mode, settings)).dump(2));
  } else {
    print(mode, settings);
  }
  warn(mode.optimum);
  return 0;
}

}  // namespace

Command add_optimize(CLI::App& app) {
  auto options = std::make_shared<Options>();
  CLI::App* command =
      app.add_subcommand("optimize", "find the mode of a model's posterior (MAP), or solve a problem on a manifold");
  command->footer(
      "The mode is that of the density which samplers see: of a variable with bounds, it is the mode on the unbounded "
      "scale (of log tau, say), with the Jacobian. Stan's optimize leaves the Jacobian out.\n"
      "Problems on manifolds:\n"
      "  quasar optimize --problem karcher-mean --data matrices.npy --out mean.npy\n"
      "  quasar optimize --problem pca --data table.csv --set components=3\n"
      "  quasar optimize --problem procrustes --data a.csv --onto b.csv\n"
      "Their data are CSV or .npy files, of pca packed tables too. quasar list problems tells what --set may set; "
      "of the flags of models --seed, --tolerance and --max-iterations go with them.");
  options->flags.add_to(*command);
  options->problem.add_to(*command);
  command->add_flag("--json", options->problem.json, "one JSON object on standard output");
  return [options] { return run_optimize(*options); };
}

}  // namespace quasar::cli
