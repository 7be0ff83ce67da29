// What a run says about its parameters, and what is wrong with it.
#pragma once

#include <nlohmann/json.hpp>
#include <quasar/diagnostics.hpp>
#include <quasar/run_data.hpp>
#include <string>
#include <vector>

namespace quasar::cli {

struct RunSummary {
  std::vector<std::string> names;
  std::vector<Summary> rows;  // one per name
  Index chains = 0, draws = 0;
  std::int64_t divergences = 0;  // after warm-up
  std::vector<std::string> warnings;
};

RunSummary summarize_run(const RunData& run);
nlohmann::ordered_json to_json(const RunSummary& summary, const RunInfo& info);
void print_summary(const RunSummary& summary, const RunInfo& info);  // the table, to standard output
void print_warnings(const RunSummary& summary);                      // to standard error

}  // namespace quasar::cli
