// What a run says about its parameters, and what is wrong with it.
#pragma once

#include <nlohmann/json.hpp>

#include <string>
#include <vector>

#include <quasar/diagnostics.hpp>
#include <quasar/run_data.hpp>
#include <quasar/scores.hpp>

#include "diagnostics/problems.hpp"

namespace quasar {

struct RunSummary {
  std::vector<std::string> names;
  std::vector<Summary> rows;           // one per name
  std::vector<std::string> left_out;   // variables that have no such summary: the factors of a matrix
  std::vector<double> weighted_means;  // likewise, where the step size changes and draws weigh as it does; else empty
  Index chains = 0, draws = 0;         // draws that are stored
  Keep keep = Keep::all;               // other than that: mean and sd are those of every draw, stored or not
  std::int64_t made = 0;               // draws of all chains that mean and sd are of
  bool weights_vary = false;           // draws weigh as the step size does: summaries of moments do not know of it
  Scores held_out;                     // of no rows: nothing was predicted
  diagnostics::Diagnosis diagnosis;
};

RunSummary summarize_run(const Run& whole);
Run without_factors(Run run);  // what is summarised: all variables but RunSummary::left_out
// The sampler's and the model's parameters, named as --set names them. A run made by a program may not have them.
diagnostics::SettingTexts settings_of(const RunInfo& info);
Mat varying_weights(const Run& run);  // of draws made while the step size changes; empty: all weigh the same
// Adds "chains" (rows: the members of an ensemble count one by one), "draws" and, where there are any, "ensembles".
void add_extent(nlohmann::ordered_json& json, Index chains, Index draws, const RunInfo& info);
nlohmann::ordered_json to_json(const RunSummary& summary, const RunInfo& info);
nlohmann::ordered_json to_json(const diagnostics::Diagnosis& diagnosis);
// A heading and a table: all rows, or the first `most` and how to see the others.
std::string summary_text(const RunSummary& summary, const RunInfo& info, std::size_t most);
// "4 chains of 1000 draws after 1000 of warm-up"; "4 ensembles of 5 members, 1000 draws each after 1000 of warm-up"
std::string extent_text(const RunSummary& summary, const RunInfo& info);
std::string what_is_kept(const RunSummary& summary);  // where it is not every draw: what can be known; else empty
std::vector<std::string> warnings_of(const RunSummary& summary);  // one line each, of the problems and these:
std::vector<std::string> warnings_beside_problems(const RunSummary& summary);

}  // namespace quasar
