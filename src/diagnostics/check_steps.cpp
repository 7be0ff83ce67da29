// What the statistics of the steps say: acceptance, divergences, implicit solves, energy, depth.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "diagnostics/advice.hpp"
#include "diagnostics/checks.hpp"
#include "diagnostics/ranks.hpp"
#include "diagnostics/wording.hpp"

namespace quasar::diagnostics {
namespace {

template <class Bad>
std::vector<Index> chains_where(const Mat& statistic, Bad bad) {
  std::vector<Index> found;
  for (Index chain = 0; chain < statistic.cols(); ++chain) {
    if (bad(statistic.col(chain))) found.push_back(chain);
  }
  return found;
}

double percent(double part, double whole) { return 100 * part / whole; }

// "by chain 3, 0, 17, 1"; of more chains than that those that have any, the worst first: "in chains 17, 3 and 5"
std::string by_chain(const Mat& diverging) {
  const Vec counts = diverging.colwise().sum();
  if (counts.size() > static_cast<Index>(kChainsShown)) {
    auto chains = chains_where(diverging, [](const auto& chain) { return chain.sum() > 0; });
    std::stable_sort(chains.begin(), chains.end(), [&](Index a, Index b) { return counts[a] > counts[b]; });
    return "in " + chain_list(chains, counts.size());
  }
  std::string text = "by chain";
  for (Index chain = 0; chain < counts.size(); ++chain) {
    text += fmt::format("{} {:.0f}", chain == 0 ? "" : ",", counts[chain]);
  }
  return text;
}

// "0.525 %; by chain 3, 0, 17, 1", or the share alone where not all were kept
std::string divergence_share(const RunFacts& run) {
  const double steps = static_cast<double>(run.made * run.thin);
  const std::string text = fmt::format("{:.3g} %", percent(static_cast<double>(run.divergences), steps));
  const bool all_kept = run.diverging.sum() == static_cast<double>(run.divergences);
  return run.chains > 1 && all_kept ? text + "; " + by_chain(run.diverging) : text;
}

// The values where transitions diverged, each once: a chain that is stuck repeats one that says no more each time.
std::vector<double> divergent_values(const Mat& draws, const Mat& diverging) {
  std::vector<double> values;
  for (Index i = 0; i < draws.size(); ++i) {
    if (diverging.reshaped()[i] != 0) values.push_back(draws.reshaped()[i]);
  }
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
  return values;
}

// From 0 (they are the lowest of all draws) to 1 (the highest); ties count half.
double mean_rank(const std::vector<double>& values, const std::vector<double>& sorted) {
  double sum = 0;
  for (const double value : values) {
    const auto [first, last] = std::equal_range(sorted.begin(), sorted.end(), value);
    sum += 0.5 * static_cast<double>((first - sorted.begin()) + (last - sorted.begin()));
  }
  return sum / static_cast<double>(values.size() * sorted.size());
}

// How far a mean rank must lie from 1/2 to be no accident. Without a relation the mean rank of k of S draws varies by
// (S - k) / (12 k S), as in the test of Mann and Whitney (1947), and among P parameters the largest of the z exceeds
// sqrt(2 log(20 P)) with a probability below 1/20. What is certain but small explains nothing.
double telling_shift(std::size_t values, Index draws, std::size_t parameters) {
  constexpr double least = 0.15;
  const auto k = static_cast<double>(values), size = static_cast<double>(draws);
  const double z = std::sqrt(2 * std::log(20 * static_cast<double>(parameters)));
  return std::max(least, z * std::sqrt((size - k) / (12 * k * size)));
}

// The one to three parameters in which the divergent draws lie farthest towards one end.
std::vector<ParameterValue> where_divergent(const RunFacts& run) {
  constexpr std::size_t most = 3;
  std::vector<ParameterValue> found;
  if (!(run.diverging.sum() > 0)) return found;
  run.for_each_parameter([&](Index parameter, const Mat& draws) {
    const auto i = static_cast<std::size_t>(parameter);
    if (std::isnan(run.summaries[i].mean)) return;  // NaN has no rank
    const std::vector<double> values = divergent_values(draws, run.diverging);
    const double rank = mean_rank(values, sorted_values(draws));
    const double needed = telling_shift(values.size(), draws.size(), run.names.size());
    if (std::abs(rank - 0.5) > needed) found.push_back({run.names[i], rank});
  });
  std::stable_sort(found.begin(), found.end(),
                   [](const auto& a, const auto& b) { return std::abs(a.value - 0.5) > std::abs(b.value - 0.5); });
  found.resize(std::min(most, found.size()));
  return found;
}

std::string said_of_ends(const std::vector<ParameterValue>& parameters) {
  std::string text;
  for (const ParameterValue& parameter : parameters) {
    text += fmt::format("{} {} is {}", text.empty() ? ", most at draws where" : " and", parameter.name,
                        parameter.value < 0.5 ? "low" : "high");
  }
  return text;
}

}  // namespace

void check_acceptance(const RunFacts& run, Diagnosis& found) {
  if (run.acceptance.size() == 0) return;
  found.checked.emplace_back("acceptance");
  const auto low = chains_where(run.acceptance, [](const auto& chain) { return chain.mean() < kLeastAcceptance; });
  if (!low.empty()) {
    double sum = 0;
    for (const Index chain : low) sum += run.acceptance.col(chain).mean();
    found.problems.push_back({"low_acceptance",
                              fmt::format("acceptance is {:.2g} in {}: nearly every proposal was rejected",
                                          sum / static_cast<double>(low.size()), chain_list(low, run.chains)),
                              one_of({learned_steps(run), longer_warmup(run)}),
                              {},
                              {}});
  }
  // Trajectories gain by small steps; a single step (mala, rwm: without energy) only gets nowhere.
  const bool single_steps = run.energy.size() == 0 && run.settings.contains("target_accept");
  if (single_steps && run.acceptance.mean() > kMostAcceptance) {
    found.problems.push_back(
        {"high_acceptance",
         fmt::format("acceptance is {:.3f}: the steps are too small to get anywhere", run.acceptance.mean()),
         one_of({learned_steps(run), "a lower target_accept"}),
         {},
         {}});
  }
}

void check_divergences(const RunFacts& run, Diagnosis& found) {
  if (run.diverging.size() == 0) return;
  found.checked.emplace_back("divergences");
  if (run.divergences == 0) return;
  std::vector<ParameterValue> where = where_divergent(run);
  found.problems.push_back({"divergences",
                            fmt::format("{} after warm-up ({}){}: the draws may be biased",
                                        counted(run.divergences, "divergent transition", "divergent transitions"),
                                        divergence_share(run), said_of_ends(where)),
                            one_of({noncentered(run), smaller_steps(run), rewritten(run)}),
                            "mean rank of the divergent draws", std::move(where)});
}

void check_solver(const RunFacts& run, Diagnosis& found) {
  if (run.solver_failed.size() == 0) return;
  found.checked.emplace_back("implicit solves");
  const double share = run.solver_failed.mean();
  if (!(share > kMostFailedSolves)) return;
  found.problems.push_back(
      {"failed_solves",
       fmt::format("{:.3g} % of the trajectories were rejected because an implicit step had no solution: the regions "
                   "where that happens are explored slowly or, where the metric is not positive definite, never",
                   100 * share),
       one_of({noncentered(run), smaller_steps(run), better_solver(run), rewritten(run)}),
       {},
       {}});
}

void check_step_length(const RunFacts& run, Diagnosis& found) {
  if (run.steps_too_long.size() == 0) return;
  found.checked.emplace_back("step length");
  const double share = (run.steps_too_long.array() > 0).cast<double>().mean();
  if (!(share > kMostFailedSteps)) return;
  found.problems.push_back({"steps_too_long",
                            fmt::format("in {:.3g} % of the draws a step could not be made, and the chain stayed where "
                                        "it was: the regions where that happens have the wrong weight",
                                        100 * share),
                            one_of({smaller_steps(run), noncentered(run), rewritten(run)}),
                            {},
                            {}});
}

void check_stability(const RunFacts& run, Diagnosis& found) {
  if (run.step_curvature.size() == 0) return;
  found.checked.emplace_back("step stability");
  const double largest = run.step_curvature.maxCoeff();
  if (!(largest > kStableCurvature)) return;
  found.problems.push_back({"unstable_steps",
                            fmt::format("step size times curvature may be {:.3g} for the row with most ratings, and "
                                        "steps above {} are unstable: the law of such rows may be far too wide",
                                        largest, kStableCurvature),
                            one_of({smaller_steps(run)}),
                            {},
                            {}});
}

void check_noise(const RunFacts& run, Diagnosis& found) {
  if (run.excess_noise.size() == 0) return;
  found.checked.emplace_back("gradient noise");
  const double share = run.excess_noise.mean();
  if (!(share > kMostExcessNoise)) return;
  found.problems.push_back({"excess_noise",
                            fmt::format("in {:.3g} % of the draws the noise of the gradient was more than the friction "
                                        "takes up: the law is too wide",
                                        100 * share),
                            one_of({"more friction", "a larger --batch-size",
                                    "--set estimator=control_variates where the posterior has one mode"}),
                            {},
                            {}});
}

// E-BFMI compares the energies of successive draws: between draws that stand apart they have forgotten each other.
void check_energy(const RunFacts& run, Diagnosis& found) {
  if (run.energy.rows() < kLeastDraws || run.thin * run.stored_every > 1) return;
  found.checked.emplace_back("E-BFMI");
  double smallest = kEbfmiLimit;
  const auto low = chains_where(run.energy, [&](const auto& energy) {
    const double fraction = ebfmi(energy);
    smallest = std::min(smallest, fraction);
    return fraction < kEbfmiLimit;
  });
  if (low.empty()) return;
  found.problems.push_back({"low_ebfmi",
                            fmt::format("E-BFMI is as low as {:.2f} (limit {}) in {}: the tails are explored slowly",
                                        smallest, kEbfmiLimit, chain_list(low, run.chains)),
                            one_of({noncentered(run), rewritten(run), longer_warmup(run)}),
                            {},
                            {}});
}

void check_depth(const RunFacts& run, Diagnosis& found) {
  if (run.reached_max_depth.size() == 0) return;
  found.checked.emplace_back("tree depth");
  const double reached = run.reached_max_depth.sum();
  if (reached == 0) return;
  found.problems.push_back({"max_depth",
                            fmt::format("{} ({:.3g} %) reached the maximum depth: slow, not wrong",
                                        counted(static_cast<std::int64_t>(reached), "trajectory", "trajectories"),
                                        percent(reached, static_cast<double>(run.reached_max_depth.size()))),
                            one_of({better_metric(run), deeper_trees(run)}),
                            {},
                            {}});
}

}  // namespace quasar::diagnostics
