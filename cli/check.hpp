// quasar sample --check: how far a run is from the posterior, seen by a short run of nuts beside it and by the kernel
// Stein discrepancy of its draws.
#pragma once

#include <nlohmann/json.hpp>

#include <optional>
#include <string>
#include <vector>

#include <quasar/diagnostics.hpp>
#include <quasar/sample.hpp>

namespace quasar::cli {

inline constexpr int exact_chains = 4;
inline constexpr Schedule exact_schedule = {500, 500, 1};
inline constexpr double chance_limit = 4;  // standard errors

struct CheckRequest {
  // UsageError: what cannot be checked
  CheckRequest(const std::string& which, const Target& model, const SampleOptions& of_run, bool no_progress);

  bool exact, ksd;
  const Target& target;
  const SampleOptions& options;  // of the run that is checked
  bool quiet;
};

// Why the kernel Stein discrepancy of such a run cannot be known; empty: it can.
std::string why_no_ksd(const Target& model, const SampleOptions& of_run);

struct Deviation {
  double value, mcse;  // the error that chance would make if the run were right
  double standard_errors() const;
  bool beyond_chance() const;
};

struct ParameterDeviation {
  std::string name;
  Deviation mean;  // difference of the means in sds of the exact run
  Deviation sd;    // ratio of the sds, less 1
};

struct ExactComparison {
  RunInfo info;  // of the exact run
  double largest_rhat;
  std::string least_converged;  // the parameter with that R-hat
  std::vector<ParameterDeviation> parameters;

  bool converged() const;
};

struct SteinComparison {
  Index draws;  // so many of each run
  SteinDiscrepancy run;
  std::optional<SteinDiscrepancy> exact;  // where there is an exact run
};

struct RunCheck {
  std::optional<ExactComparison> exact;
  std::optional<SteinComparison> ksd;
};

std::optional<RunCheck> check_run(const Run& run, const CheckRequest& request);  // empty: stopped by the user

nlohmann::ordered_json to_json(const RunCheck& check);
void print_check(const RunCheck& check, std::size_t most);  // to standard output, at most so many parameters
void print_warnings(const RunCheck& check);                 // to standard error

}  // namespace quasar::cli
