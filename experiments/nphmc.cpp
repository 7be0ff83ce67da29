// Tables 4.1, 4.2, 4.4, 4.5 and Figures 4.1 to 4.3 of Roychowdhury (2017): SGR-NPHMC and SGNHT for several noise terms,
// ten leapfrog steps an iteration, batches of 100, on 5000 observations: normal ones, or of two classes.
//
// With the Fisher metric of all data a trajectory of ten steps of 1e-3, as printed, is a hundredth of a standard
// deviation long: SGR-NPHMC has not arrived after thousands of iterations. Steps of 0.1 give about what is printed. In
// figures the paper draws densities, of which sd tells the width, and paths, of which the time of arrival and the
// overshoot are here.
#include <fmt/core.h>

#include <cmath>

#include "experiments/experiments.hpp"
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
  bool has_path;
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
};

Method sgr_nphmc(const NoiseRow& row, const Solver& solver, const BatchPolicy& batch) {
  return {{fmt::format("SGR-NPHMC, A = B = {}, e = {}, {}", row.noise, solver.step_size, batch.label),
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
          row.has_path};
}

Method sgnht(const NoiseRow& row, const char* step_size, const BatchPolicy& batch) {
  return {{fmt::format("SGNHT, A = {}, {}", row.noise, batch.label),
           "sgnht",
           {{"step_size", step_size},
            {"leapfrog_steps", "10"},
            {"friction", row.noise},
            {"batch_size", "100"},
            {"batch", batch.setting}},
           row.printed},
          row.has_path};
}

std::vector<Method> methods(const NoiseTables& tables) {
  constexpr Solver as_printed{"0.001", "1"}, longer{"0.1", "3"};
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

ExperimentResult compare(const RecoveryProblem& problem, const NoiseTables& tables, const Vec& posterior_sd,
                         RecoveryLength length, const ExperimentOptions& options) {
  ExperimentResult result{recovery_settings(problem, length), {}};
  result.settings["rows"] = std::to_string(rows);
  for (const Method& method : methods(tables)) {
    options.on_method(method.name);
    add_recovery(problem, method, length, options.seed, result);
    if (method.has_path) add_arrival(problem, method, {posterior_sd, options.quick ? 50 : 500}, options.seed, result);
  }
  return result;
}

}  // namespace

ExperimentResult run_nphmc_normal(const ExperimentOptions& options) {
  const Vec posterior_sd{{std::sqrt(1.0 / rows), std::sqrt(2.0 / rows)}};
  return compare(normal_problem(rows, options.quick ? 4 : 24, options.seed), normal_tables, posterior_sd,
                 options.quick ? RecoveryLength{1000, 1000} : RecoveryLength{3000, 3000}, options);
}

// Metrics on all 5000 rows are dear: fewer data sets and draws than on the normal problem.
ExperimentResult run_nphmc_logistic(const ExperimentOptions& options) {
  constexpr double posterior_sd = 0.039;  // of both weights, at the truth
  return compare(logistic_problem(rows, options.quick ? 1 : 4, options.seed), logistic_tables,
                 Vec::Constant(2, posterior_sd), options.quick ? RecoveryLength{10, 20} : RecoveryLength{200, 600},
                 options);
}

}  // namespace quasar
