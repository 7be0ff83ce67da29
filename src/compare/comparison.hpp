// Runs of one posterior side by side: what each cost, how much it is worth, and whether they agree.
//
// Cost is counted in whole gradients after warm-up, which minibatches share: a minibatch of b of N rows is b / N of
// one, as a run's statistic `data_passes` has it. Agreement is measured in Monte Carlo standard errors (MCSE) of both
// runs,
//
//   (mean_a - mean_r) / sqrt(mcse_a^2 + mcse_r^2),   (sd_a - sd_r) / sqrt(mcse_sd_a^2 + mcse_sd_r^2),
//
// about N(0, 1) where both sample the same law and their errors are independent (Vehtari et al. 2021 for the MCSE).
#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <quasar/diagnostics.hpp>
#include <quasar/run_data.hpp>

#include "front/run_summary.hpp"

namespace quasar {

inline constexpr double agreement_limit = 4;  // MCSE: a mean, or an sd, of the same law passes it once in 16 000 times
inline constexpr double undefined_number = std::numeric_limits<double>::quiet_NaN();

struct ParameterEstimate {  // of one parameter by one run; NaN: the run does not say
  double mean = undefined_number, sd = undefined_number, mcse_mean = undefined_number, mcse_sd = undefined_number;
  double ess_bulk = undefined_number, ess_tail = undefined_number, rhat = undefined_number;
};

struct Difference {  // from the reference run
  double value = undefined_number;
  double in_mcse = undefined_number;  // infinite: neither run has an error, and they differ
  bool beyond_chance() const;
};

struct ComparedParameter {
  std::string name;
  std::vector<ParameterEstimate> estimates;  // one per run
  std::vector<Difference> mean, sd;          // likewise; of the reference itself undefined
};

struct Extreme {  // of one measure over the parameters that all runs have
  double value = undefined_number;
  std::string parameter = {};
};

struct ComparedRun {
  std::string name;  // by which it is called here
  std::string file;  // empty: a run in memory
  RunInfo info;
  std::optional<Law> law = std::nullopt;  // empty: not known
  Index chains = 0, draws = 0;            // stored: rows of the chain dimension, draws of each
  double gradients = undefined_number;    // whole ones after warm-up, of all chains
  Extreme ess_bulk = {}, ess_tail = {};   // the smallest
  double ess_bulk_median = undefined_number;
  Extreme rhat = {};                     // the largest
  nlohmann::ordered_json check = {};     // what --check found and the file has kept; null: nothing
  std::vector<std::string> notes = {};   // what is not known of it, and why
  std::vector<std::string> doubts = {};  // why it is no sure reference; none: exact, converged and complete

  double ess_per_second() const;    // the smallest bulk ESS, by seconds after warm-up
  double ess_per_gradient() const;  // the same, by whole gradients after warm-up
  SteinDiscrepancy ksd() const;     // NaN: not known
};

struct Comparison {
  std::vector<ComparedRun> runs;
  std::size_t reference = 0;                  // among the runs
  std::vector<ComparedParameter> parameters;  // that all runs have, in the order of the first
  std::vector<std::string> left_out;          // parameters that some run does not have
  std::vector<std::string> warnings;

  std::ptrdiff_t beyond_chance(std::size_t run) const;  // so many parameters, in mean or sd
  std::ptrdiff_t not_compared(std::size_t run) const;   // so many: the error of mean or sd is not known
  bool all_agree() const;  // every parameter of every run was compared, and none is beyond chance
};

struct NamedRun {
  std::string name, file;
  Run run;
};

struct ComparisonOptions {
  std::string reference = {};    // the name or file of a run, or a sampler that only one of them has; empty: chosen
  bool allow_different = false;  // models and data
};

// UsageError: fewer than two runs; different models or data; no parameter in common; no such reference.
Comparison compare_runs(std::span<const NamedRun> runs, const ComparisonOptions& options);

std::string names_of(std::span<const ComparedRun> runs);  // "nuts, hmc"

// Names for runs in files: what the file is called without folder and ending, where that tells them apart, else its
// path.
std::vector<std::string> names_of_files(std::span<const std::string> files);

// Whole gradients after warm-up, of all chains. Where not every draw is stored those that are stand for the others.
double whole_gradients(const Run& run);

}  // namespace quasar
