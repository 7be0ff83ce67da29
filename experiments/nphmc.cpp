// Tables 4.1, 4.2, 4.4, 4.5 and Figures 4.1 to 4.3 of Roychowdhury (2017): SGR-NPHMC and SGNHT for several noise terms,
// ten leapfrog steps an iteration, batches of 100, on 5000 observations: normal ones, or of two classes.
//
// With the Fisher metric of all data a trajectory of ten steps of 1e-3, as printed, is a hundredth of a standard
// deviation long: SGR-NPHMC has not arrived after thousands of iterations. Steps of 0.1 give about what is printed. In
// figures the paper draws densities, of which sd tells the width, and paths, of which the time of arrival and the
// overshoot are rows; both are drawn too.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "experiments/experiments.hpp"
#include "experiments/kernel_density.hpp"
#include "experiments/recovery.hpp"

namespace quasar {
namespace {

constexpr Index rows = 5000;

struct NoiseRow {
  const char* noise;  // A, and B where there is one
  PrintedRecovery printed;
  bool has_path = false;  // in Figure 4.2 or 4.3
};

struct Method : RecoveryMethod {
  std::string density_name, path_name;  // in Figure 4.1, and in Figures 4.2 and 4.3: what the panel does not say
  const BatchPolicy* batch;
  bool has_density, has_path;
  bool riemannian() const { return sampler == std::string_view("sgr-nphmc"); }
};

struct NoiseTables {
  std::vector<NoiseRow> sgr_nphmc, sgnht;
  const char* sgnht_step;
};

const NoiseTables normal_tables{{{"0.01", {{0.0240, 0.0328}, 14.8999}},
                                 {"0.001", {{0.0244, 0.0466}, 13.6332}, true},
                                 {"0.0001", {{0.0289, 0.0433}, 2.5899}}},
                                {{"0.1", {{0.0364, 0.0386}, 13.5715}},
                                 {"1", {{0.0375, 0.0471}, 17.2241}, true},
                                 {"10", {{0.0365, 0.0416}, 13.5715}}},
                                "0.001"};
const NoiseTables logistic_tables{
    {{"0.01", {{0.2684, 0.1833}}}, {"0.001", {{0.1927, 0.1932}}, true}, {"0.0001", {{0.1965, 0.2125}}}},
    {{"0.1", {{0.2071, 0.1884}}}, {"1", {{0.2023, 0.1850}}, true}, {"10", {{0.2151, 0.1907}}}},
    "0.01"};

struct Solver {
  const char *step_size, *iterations;
  bool arrives;  // before the draws that count begin
};

Method sgr_nphmc(const NoiseRow& row, const Solver& solver, const BatchPolicy& batch) {
  const std::string noise = fmt::format("SGR-NPHMC, A = B = {}", row.noise);
  return {{fmt::format("{}, e = {}, {}", noise, solver.step_size, batch.label),
           "sgr-nphmc",
           {{"step_size", solver.step_size},
            {"leapfrog_steps", "10"},
            {"friction", row.noise},
            {"thermostat_friction", row.noise},
            {"metric_exponent", "1"},
            {"fixed_iterations", solver.iterations},
            {"batch_size", "100"},
            {"batch", batch_setting(find_sampler("sgr-nphmc"), batch)}},
           row.printed},
          noise,
          solver.arrives ? batch.label : fmt::format("{}, e = {}", batch.label, solver.step_size),
          &batch,
          solver.arrives,
          row.has_path};
}

Method sgnht(const NoiseRow& row, const char* step_size, const BatchPolicy& batch) {
  const std::string noise = fmt::format("SGNHT, A = {}", row.noise);
  return {{fmt::format("{}, {}", noise, batch.label),
           "sgnht",
           {{"step_size", step_size},
            {"leapfrog_steps", "10"},
            {"friction", row.noise},
            {"batch_size", "100"},
            {"batch", batch.setting}},
           row.printed},
          noise,
          batch.label,
          &batch,
          true,
          row.has_path};
}

std::vector<Method> methods(const NoiseTables& tables) {
  constexpr Solver as_printed{"0.001", "1", false}, longer{"0.1", "3", true};
  std::vector<Method> all;
  for (const BatchPolicy& batch : batch_policies) {
    for (const NoiseRow& row : tables.sgr_nphmc) {
      all.push_back(sgr_nphmc(row, as_printed, batch));
      all.push_back(sgr_nphmc(row, longer, batch));
    }
    for (const NoiseRow& row : tables.sgnht) all.push_back(sgnht(row, tables.sgnht_step, batch));
  }
  return all;
}

// (a) and (b) the first parameter of either algorithm, (c) the second of both; a row of panels for each policy.
Figure empty_densities(const RecoveryProblem& problem) {
  Figure figure{
      "figure-4.1",
      "Roychowdhury (2017), Figure 4.1: densities of the draws on one data set, SGR-NPHMC with steps of 0.1. A "
      "and B do next to nothing, so that curves lie on each other. Above a batch for every gradient, below one "
      "for ten steps: the paper does not say. It draws curves and prints no numbers of them.",
      3,
      {}};
  for (const BatchPolicy& batch : batch_policies) {
    for (const auto& [title, parameter] : {std::pair("(a) SGR-NPHMC", 0U), {"(b) SGNHT", 0U}, {"(c) both", 1U}}) {
      figure.panels.push_back(
          {fmt::format("{}, {}", title, batch.label), {.label = problem.names[parameter]}, {.label = "density"}, {}});
    }
  }
  return figure;
}

void add_density(const Method& method, const Mat& draws, Figure& figure) {
  const std::size_t row = method.batch == &batch_policies[0] ? 0 : 3;
  figure.panels[row + (method.riemannian() ? 0 : 1)].series.push_back(
      kernel_density(method.density_name, draws.row(0)));
  figure.panels[row + 2].series.push_back(kernel_density(method.density_name, draws.row(1)));
}

Series place(const char* name, const Vec& at) {
  return {.name = name, .mark = Series::Mark::points, .x = {at[0]}, .y = {at[1]}};
}

Figure empty_paths(const char* number, const RecoveryProblem& problem) {
  const Axis x{.label = problem.names[0]}, y{.label = problem.names[1]};
  return {
      fmt::format("figure-{}", number),
      fmt::format("Roychowdhury (2017), Figure {}: the way of both algorithms from the start, with A = B = 0.001 and A "
                  "= 1. SGR-NPHMC with steps of 0.001, those of the paper on normal data, does not get far. The paper "
                  "draws paths and prints no numbers of them.",
                  number),
      2,
      {{"(a) SGR-NPHMC, e = 0.1", x, y, {}}, {"(b) SGNHT", x, y, {}}}};
}

// A path that was lost is not drawn.
void add_path(const Method& method, const RecoveryProblem& problem, const Mat& way, Figure& figure) {
  if (way.cols() == 0) {
    figure.caption += fmt::format(" {} was lost on its way.", method.name);
    return;
  }
  Series path{.name = method.path_name, .x = {problem.start[0]}, .y = {problem.start[1]}};
  path.x.insert(path.x.end(), way.row(0).begin(), way.row(0).end());
  path.y.insert(path.y.end(), way.row(1).begin(), way.row(1).end());
  figure.panels[method.riemannian() ? 0 : 1].series.push_back(std::move(path));
}

struct Study {
  RecoveryProblem problem;
  const NoiseTables* tables;
  Vec posterior_sd;
  RecoveryLength length;
  const char* path_figure;
  bool has_densities;  // in a figure
};

ExperimentResult compare(const Study& study, const ExperimentOptions& options) {
  const RecoveryProblem& problem = study.problem;
  ExperimentResult result{recovery_settings(problem, study.length), {}};
  result.settings["rows"] = std::to_string(rows);
  Figure densities = empty_densities(problem), paths = empty_paths(study.path_figure, problem);
  for (const Method& method : methods(*study.tables)) {
    options.on_method(method.name);
    const Mat draws = add_recovery(problem, method, study.length, options.seed, result);
    if (method.has_density && draws.cols() > 0) add_density(method, draws, densities);
    if (!method.has_path) continue;
    const Arrival arrival{study.posterior_sd, options.quick ? 50 : 500};
    add_path(method, problem, add_arrival(problem, method, arrival, options.seed, result), paths);
  }
  for (Panel& panel : paths.panels) {
    std::ranges::reverse(panel.series);  // the wide paths of held batches below the others
    panel.series.push_back(place("start", problem.start));
    panel.series.push_back(place("truth", problem.truth));
  }
  if (study.has_densities) result.figures.push_back(std::move(densities));
  result.figures.push_back(std::move(paths));
  return result;
}

}  // namespace

ExperimentResult run_nphmc_normal(const ExperimentOptions& options) {
  return compare({.problem = normal_problem(rows, options.quick ? 4 : 24, options.seed),
                  .tables = &normal_tables,
                  .posterior_sd = Vec{{std::sqrt(1.0 / rows), std::sqrt(2.0 / rows)}},
                  .length = options.quick ? RecoveryLength{1000, 1000} : RecoveryLength{3000, 3000},
                  .path_figure = "4.2",
                  .has_densities = true},
                 options);
}

// Metrics on all 5000 rows are dear: fewer data sets and draws than on the normal problem.
ExperimentResult run_nphmc_logistic(const ExperimentOptions& options) {
  constexpr double posterior_sd = 0.039;  // of both weights, at the truth
  return compare({.problem = logistic_problem(rows, options.quick ? 1 : 4, options.seed),
                  .tables = &logistic_tables,
                  .posterior_sd = Vec::Constant(2, posterior_sd),
                  .length = options.quick ? RecoveryLength{10, 20} : RecoveryLength{200, 600},
                  .path_figure = "4.3",
                  .has_densities = false},
                 options);
}

}  // namespace quasar
