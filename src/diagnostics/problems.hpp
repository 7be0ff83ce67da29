// What is wrong with a run, in which parameters, and what to try.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <quasar/config.hpp>
#include <quasar/diagnostics.hpp>
#include <quasar/run_data.hpp>

namespace quasar::diagnostics {

using SettingTexts = std::map<std::string, std::string, std::less<>>;  // as --set takes them: "max_depth", "model.dim"

// What a sampler promises at the settings of a run.
struct SamplerLaw {
  Law law = Law::exact;
  std::string why = {};                   // the sampler has it; empty: a setting decides
  std::string setting = {};               // the one that decides it, "adapt=printed"; empty: the sampler itself
  std::vector<std::string> instead = {};  // its values that are exact: "adapt=warmup"
};

// Everything the checks look at. Statistics of the steps are draws x chains; 0 x 0: the sampler has none.
struct RunFacts {
  std::vector<std::string> names;
  std::vector<Summary> summaries;      // one per name
  std::function<Mat(Index)> draws_of;  // one parameter, draws x chains
  std::function<void(const std::function<void(Index, const Mat&)>&)> for_each_parameter;  // all of them, in order
  Index chains = 0, draws = 0;                                                            // stored draws per chain
  std::int64_t made = 0;                              // draws of all chains that thinning leaves, stored or not
  Keep keep = Keep::all;                              // what else was not stored cannot be judged
  Index members = 1;                                  // consecutive chains that make one ensemble
  std::int64_t warmup = 0, iterations = 0, thin = 1;  // as asked for; iterations: after warm-up, kept or not
  std::int64_t stored_every = 1;                      // of the draws that thinning leaves
  std::int64_t divergences = 0;                       // after warm-up, of draws kept or not
  bool stopped_early = false;
  Mat acceptance, energy, diverging, reached_max_depth, solver_failed, excess_noise;
  Mat steps_too_long;  // counts
  Mat step_curvature;  // of the sharpest row of a factorization, about
  std::string sampler;
  std::optional<SamplerLaw> law = std::nullopt;  // empty: not known
  SettingTexts settings;                         // may be empty
};

struct ParameterValue {
  std::string name;
  double value;
};

struct Problem {
  std::string kind;                        // a fixed word, for programs
  std::string what;                        // one sentence
  std::string advice;                      // options to try, in the words of the command line
  std::string measure;                     // what the values of the parameters are
  std::vector<ParameterValue> parameters;  // the worst first; empty: it concerns the run
};

struct Diagnosis {
  std::vector<Problem> problems;     // the gravest first
  std::vector<std::string> checked;  // what could be looked at
};

Diagnosis diagnose(const RunFacts& run);

// "R-hat: tau 1.034, mu 1.02 and 3 more"; empty without parameters.
std::string list_parameters(const Problem& problem, std::size_t most);

}  // namespace quasar::diagnostics
