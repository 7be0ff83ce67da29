#include "diagnostics/problems.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "diagnostics/advice.hpp"
#include "diagnostics/checks.hpp"
#include "diagnostics/wording.hpp"

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
  std::vector<std::string> parts;
  const std::size_t shown = std::min(kChainsShown, chains.size());
  for (std::size_t i = 0; i < shown; ++i) parts.push_back(fmt::format("{}", chains[i] + 1));
  if (chains.size() > shown) parts.push_back(fmt::format("{} more", chains.size() - shown));
  return (chains.size() == 1 ? "chain " : "chains ") + in_a_row(parts, "and");
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
                              fmt::format("{} of warm-up: step size and metric were not tuned",
                                          counted(run.warmup, "iteration", "iterations")),
                              longer_warmup(run),
                              {},
                              {}});
  }
}

void check_law(const RunFacts& run, Diagnosis& found) {
  if (!run.law) return;
  found.checked.emplace_back("law of the sampler");
  if (run.law->law == Law::exact) return;
  const bool biased = run.law->law == Law::biased;
  std::vector<std::string> remedies;
  for (const std::string& setting : run.law->instead) remedies.push_back("--set " + setting);
  if (!biased) remedies.push_back(smaller_steps(run));
  if (run.law->instead.empty()) remedies.emplace_back("--sampler nuts, which is exact");
  found.problems.push_back(
      {biased ? "biased" : "step_size_bias",
       fmt::format("{}{}{} {}{}{}{}", run.sampler, run.law->setting.empty() ? "" : " with ", run.law->setting,
                   biased ? "is biased: its draws do not follow the posterior however long it runs"
                          : "is not exact: its draws have a bias that vanishes only as the step size does",
                   run.law->why.empty() ? "" : " (", run.law->why, run.law->why.empty() ? "" : ")"),
       one_of(remedies),
       {},
       {}});
}

void check_size(const RunFacts& run, Diagnosis& found) {
  found.checked.emplace_back("number of chains and draws");
  if (run.chains == run.members) {
    const char* const what = run.members == 1
                                 ? "one chain: nothing tells whether another would agree"
                                 : "one ensemble: its members are not independent, and nothing tells whether "
                                   "another ensemble would agree";
    found.problems.push_back({"single_chain", what, "--chains 4", {}, {}});
  }
  if (run.draws < kLeastDraws) {
    found.problems.push_back({"few_draws",
                              fmt::format("{} in a chain: too few to judge", counted(run.draws, "draw", "draws")),
                              enough_draws(run),
                              {},
                              {}});
  }
}

namespace {

constexpr double rare_divergences = 1e-3;  // of the draws
constexpr double rhat_far_off = 1.05;

// A divergence or two in thousands of draws hint at a region that is missing. Chains that plainly disagree, or energies
// that hardly change, show that one is.
void place_behind_worse(std::vector<Problem>& problems) {
  const auto is_worse = [](const Problem& problem) {
    return problem.kind == "low_ebfmi" || (problem.kind == "rhat" && problem.parameters.front().value > rhat_far_off);
  };
  const auto rare = std::ranges::find(problems, "divergences", &Problem::kind);
  const auto last = std::find_if(problems.rbegin(), problems.rend(), is_worse).base();
  if (rare < last) std::rotate(rare, rare + 1, last);
}

}  // namespace

Diagnosis diagnose(const RunFacts& run) {
  Diagnosis found;
  check_run(run, found);
  check_law(run, found);
  check_values(run, found);
  check_acceptance(run, found);
  check_divergences(run, found);
  check_solver(run, found);
  check_step_length(run, found);
  check_stability(run, found);
  check_noise(run, found);
  check_agreement(run, found);
  check_energy(run, found);
  check_precision(run, found);
  check_depth(run, found);
  check_size(run, found);
  if (static_cast<double>(run.divergences) < rare_divergences * static_cast<double>(run.made)) {
    place_behind_worse(found.problems);
  }
  return found;
}

}  // namespace quasar::diagnostics
