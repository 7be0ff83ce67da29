// What the draws of each parameter say: not finite, never moved, R-hat, ESS.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "diagnostics/advice.hpp"
#include "diagnostics/chains.hpp"
#include "diagnostics/checks.hpp"
#include "diagnostics/ranks.hpp"
#include "diagnostics/wording.hpp"

namespace quasar::diagnostics {
namespace {

template <class Bad>
std::vector<ParameterValue> find(const RunFacts& run, double Summary::*value, Bad bad) {
  std::vector<ParameterValue> found;
  for (std::size_t i = 0; i < run.summaries.size(); ++i) {
    if (bad(run.summaries[i])) found.push_back({run.names[i], run.summaries[i].*value});
  }
  return found;
}

std::string number_of(const std::vector<ParameterValue>& parameters) {
  return counted(std::ssize(parameters), "parameter", "parameters");
}

struct Disagreement {
  bool in_spread;  // or in location
  bool over_time;  // within chains, or among them
  bool of_one;     // chain, which makes up most of it
  Index chain;
};

// How the halves of chains differ, by the means of their normal scores.
Disagreement how_chains_differ(DrawsByChain draws) {
  constexpr double most = 0.75;
  const Index chains = draws.cols();
  RankedDraws ranks(draws.rows(), chains);
  ranks.sort(draws);
  const Mat bulk = ranks.bulk();
  const Mat& folded = ranks.folded();
  Disagreement found{};
  found.in_spread = potential_scale_reduction(folded) > potential_scale_reduction(bulk);
  const Vec means = (found.in_spread ? folded : bulk).colwise().mean();

  const auto halves = means.reshaped(2, chains);
  const Vec drift = ((halves.row(1) - halves.row(0)) / 2).array().square();
  const Vec centres = halves.colwise().mean();
  const Vec apart = (centres.array() - quantile(centres, 0.5)).square();
  found.over_time = 2 * drift.sum() > apart.sum();  // equal for a chain that arrives late: apart, then not
  const Vec& differences = found.over_time ? drift : apart;
  found.of_one = differences.maxCoeff(&found.chain) > most * differences.sum() && (found.over_time || chains > 2);
  return found;
}

std::string describe(const Disagreement& found) {
  const char* const quantity = found.in_spread ? "spread" : "location";
  if (!found.of_one) return fmt::format("the chains {} in {}", found.over_time ? "drift" : "disagree", quantity);
  return fmt::format("chain {} {} in {}", found.chain + 1, found.over_time ? "drifts" : "stands apart", quantity);
}

std::string advise(const Disagreement& found, const RunFacts& run) {
  if (found.over_time) {
    return one_of({noncentered(run), better_sampler(run), longer_warmup(run), more_draws(run, 2)});
  }
  if (found.of_one) {
    return one_of({noncentered(run), longer_warmup(run), "another start (--init): there may be several modes"});
  }
  return one_of({noncentered(run), better_sampler(run), better_metric(run), more_draws(run, 2), rewritten(run)});
}

// Twice or thrice the draws are soon made; many times as many mean that something else is wrong.
std::string advise_on_ess(const RunFacts& run, double factor) {
  constexpr double soon_made = 5;
  if (run.stopped_early) return more_draws(run, factor);
  const std::string draws = more_draws(run, factor), metric = better_metric(run), sampler = better_sampler(run);
  if (factor < soon_made) return one_of({draws, sampler, metric});
  return one_of({noncentered(run), sampler, metric, rewritten(run), draws});
}

void check_ess(const RunFacts& run, const std::string& which, double Summary::*ess, Diagnosis& found) {
  const double enough = kEssPerChain * static_cast<double>(run.chains);
  auto low = find(run, ess, [&](const Summary& s) { return s.*ess < enough; });
  found.checked.push_back(which + " ESS");
  if (low.empty()) return;
  std::stable_sort(low.begin(), low.end(), [](const auto& a, const auto& b) { return a.value < b.value; });
  const double factor = enough / low.front().value;
  found.problems.push_back(
      {which + "_ess",
       fmt::format("{} ESS below {:.0f} ({:.0f} per chain) in {}: {} not precise", which, enough, kEssPerChain,
                   number_of(low), which == "bulk" ? "means are" : "5 % and 95 % quantiles are"),
       advise_on_ess(run, factor), which + " ESS", std::move(low)});
}

}  // namespace

void check_values(const RunFacts& run, Diagnosis& found) {
  if (run.made == 0) return;
  found.checked.emplace_back("finite draws");
  auto infinite = find(run, &Summary::mean, [](const Summary& s) { return !std::isfinite(s.mean); });
  if (!infinite.empty()) {
    found.problems.push_back({"not_finite", fmt::format("draws of {} are NaN or infinite", number_of(infinite)),
                              "a tighter prior, or data on a scale near 1", "mean", std::move(infinite)});
  }
  if (run.made < 2) return;
  found.checked.emplace_back("every parameter moved");
  auto stuck = find(run, &Summary::mean, [](const Summary& s) { return s.sd == 0; });
  if (!stuck.empty()) {
    found.problems.push_back({"never_moved", fmt::format("{} never moved", number_of(stuck)),
                              one_of({learned_steps(run), longer_warmup(run),
                                      "nothing if the model fixes the value (the corner of a correlation matrix)"}),
                              "value", std::move(stuck)});
  }
}

void check_agreement(const RunFacts& run, Diagnosis& found) {
  if (run.chains < 2 || run.draws < kLeastDraws || run.keep == Keep::moments) return;
  found.checked.emplace_back("R-hat");
  auto bad = find(run, &Summary::rhat, [](const Summary& s) { return s.rhat > kRhatLimit; });
  if (bad.empty()) return;
  std::stable_sort(bad.begin(), bad.end(), [](const auto& a, const auto& b) { return a.value > b.value; });
  const auto worst = std::find(run.names.begin(), run.names.end(), bad.front().name) - run.names.begin();
  const Disagreement disagreement = how_chains_differ(run.draws_of(worst));
  found.problems.push_back({"rhat",
                            fmt::format("R-hat above {} in {}: {}", kRhatLimit, number_of(bad), describe(disagreement)),
                            advise(disagreement, run), "R-hat", std::move(bad)});
}

void check_precision(const RunFacts& run, Diagnosis& found) {
  if (run.draws < kLeastDraws || run.keep != Keep::all) return;  // few stored draws say little of many that were made
  check_ess(run, "bulk", &Summary::ess_bulk, found);
  check_ess(run, "tail", &Summary::ess_tail, found);
}

}  // namespace quasar::diagnostics
