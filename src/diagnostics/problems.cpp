#include "diagnostics/problems.hpp"

#include <fmt/core.h>

#include "diagnostics/advice.hpp"
#include "diagnostics/checks.hpp"

namespace quasar::diagnostics {

std::string list_parameters(const Problem& problem, std::size_t most) {
  if (problem.parameters.empty()) return {};
  std::string text = problem.measure + ":";
  const std::size_t shown = std::min(most, problem.parameters.size());
  for (std::size_t i = 0; i < shown; ++i) {
    text += fmt::format("{} {} {:.4g}", i ? "," : "", problem.parameters[i].name, problem.parameters[i].value);
  }
  return problem.parameters.size() > shown ? fmt::format("{} and {} more", text, problem.parameters.size() - shown)
                                           : text;
}

std::string chain_list(const std::vector<Index>& chains, Index of) {
  if (std::ssize(chains) == of) return of == 1 ? "the chain" : "every chain";
  std::string text = chains.size() == 1 ? "chain" : "chains";
  for (std::size_t i = 0; i < chains.size(); ++i) {
    const char* const between = i == 0 ? " " : i + 1 == chains.size() ? " and " : ", ";
    text += fmt::format("{}{}", between, chains[i] + 1);
  }
  return text;
}

void check_run(const RunFacts& run, Diagnosis& found) {
  constexpr std::int64_t least_warmup = 20;  // below this no metric is learned
  found.checked.insert(found.checked.end(), {"run complete", "warm-up"});
  if (run.stopped_early) {
    found.problems.push_back({"stopped_early",
                              "the run is not complete: these are the draws made until now",
                              "--resume, which goes on with it",
                              {},
                              {}});
  }
  if (learns_step_size(run) && run.warmup < least_warmup) {
    found.problems.push_back({"short_warmup",
                              fmt::format("{} iterations of warm-up: step size and metric were not tuned", run.warmup),
                              longer_warmup(run),
                              {},
                              {}});
  }
}

void check_size(const RunFacts& run, Diagnosis& found) {
  found.checked.emplace_back("number of chains and draws");
  if (run.chains == 1) {
    found.problems.push_back(
        {"single_chain", "one chain: nothing tells whether another would agree", "--chains 4", {}, {}});
  }
  if (run.draws < kLeastDraws) {
    found.problems.push_back(
        {"few_draws", fmt::format("{} draws in a chain: too few to judge", run.draws), "--draws 1000", {}, {}});
  }
}

Diagnosis diagnose(const RunFacts& run) {
  Diagnosis found;
  check_run(run, found);
  check_values(run, found);
  check_acceptance(run, found);
  check_divergences(run, found);
  check_agreement(run, found);
  check_energy(run, found);
  check_precision(run, found);
  check_depth(run, found);
  check_size(run, found);
  return found;
}

}  // namespace quasar::diagnostics
