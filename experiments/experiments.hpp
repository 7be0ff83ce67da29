// The published experiments, one function each: what the registry lists.
#pragma once

#include <quasar/errors.hpp>
#include <quasar/experiment.hpp>
#include <quasar/registry.hpp>

namespace quasar {

// An experiment that keeps no finished parts refuses a folder for them.
template <ExperimentResult (*run)(const ExperimentOptions&)>
ExperimentResult in_one_go(const ExperimentOptions& options) {
  if (!options.work_dir.empty()) {
    throw UsageError("this experiment keeps no finished parts: leave out --work-dir");
  }
  return run(options);
}

ExperimentResult run_gamma_process_corpora(const ExperimentOptions& options);
ExperimentResult run_gamma_process_synthetic(const ExperimentOptions& options);
ExperimentResult run_hamcmc_alpha_stable(const ExperimentOptions& options);
ExperimentResult run_hamcmc_distributed_mf(const ExperimentOptions& options);
ExperimentResult run_hamcmc_linear_gaussian(const ExperimentOptions& options);
ExperimentResult run_mcem_logistic(const ExperimentOptions& options);
ExperimentResult run_mcem_normal(const ExperimentOptions& options);
ExperimentResult run_mcem_topics(const ExperimentOptions& options);
ExperimentResult run_nphmc_logistic(const ExperimentOptions& options);
ExperimentResult run_nphmc_normal(const ExperimentOptions& options);
ExperimentResult run_nphmc_topics(const ExperimentOptions& options);
ExperimentResult run_qnhmc_bpmf(const ExperimentOptions& options);
ExperimentResult run_qnhmc_gaussian(const ExperimentOptions& options);
ExperimentResult run_qnhmc_logistic(const ExperimentOptions& options);
ExperimentResult run_rlbfgs_eigen(const ExperimentOptions& options);
ExperimentResult run_rlbfgs_karcher(const ExperimentOptions& options);
ExperimentResult run_sghmc_bivariate(const ExperimentOptions& options);
ExperimentResult run_sghmc_bpmf(const ExperimentOptions& options);
ExperimentResult run_sghmc_double_well(const ExperimentOptions& options);
ExperimentResult run_sghmc_mnist(const ExperimentOptions& options);
ExperimentResult run_sghmc_trajectories(const ExperimentOptions& options);
ExperimentResult run_sva_hmm_lambda(const ExperimentOptions& options);
ExperimentResult run_sva_ihmm_synthetic(const ExperimentOptions& options);
ExperimentResult run_sva_sp500(const ExperimentOptions& options);
ExperimentResult run_sva_well_log(const ExperimentOptions& options);

}  // namespace quasar
