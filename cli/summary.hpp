// What a run says about its parameters, and what is wrong with it.
#pragma once

#include <nlohmann/json.hpp>

#include <string>
#include <vector>

#include <quasar/diagnostics.hpp>
#include <quasar/run_data.hpp>

#include "diagnostics/problems.hpp"

namespace quasar::cli {

struct RunSummary {
  std::vector<std::string> names;
  std::vector<Summary> rows;           // one per name
  std::vector<double> weighted_means;  // likewise, where the step size changes and draws weigh as it does; else empty
  Index chains = 0, draws = 0;
  diagnostics::Diagnosis diagnosis;
};

RunSummary summarize_run(const Run& run);
// Adds "chains" (rows: the members of an ensemble count one by one), "draws" and, where there are any, "ensembles".
void add_extent(nlohmann::ordered_json& json, Index chains, Index draws, const RunInfo& info);
nlohmann::ordered_json to_json(const RunSummary& summary, const RunInfo& info);
// The table, to standard output: all rows, or the first `most` and how to see the others.
void print_summary(const RunSummary& summary, const RunInfo& info, std::size_t most);
void print_warnings(const RunSummary& summary);  // to standard error

}  // namespace quasar::cli
