#include "diagnostics/advice.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <iterator>

#include "diagnostics/checks.hpp"
#include "diagnostics/wording.hpp"

namespace quasar::diagnostics {
namespace {

const std::string& setting(const RunFacts& run, std::string_view name) {
  static const std::string none;
  const auto found = run.settings.find(name);
  return found == run.settings.end() ? none : found->second;
}

double number_setting(const RunFacts& run, std::string_view name, double otherwise) {
  const std::string& text = setting(run, name);
  return text.empty() ? otherwise : std::strtod(text.c_str(), nullptr);
}

// Two digits, upwards: 1234 becomes 1300.
double rounded_up(double count) {
  const double unit = std::pow(10, std::max(std::floor(std::log10(count)) - 1, 0.0));
  return std::ceil(count / unit) * unit;
}

}  // namespace

std::string one_of(const std::vector<std::string>& alternatives) {
  std::vector<std::string> kept;
  std::copy_if(alternatives.begin(), alternatives.end(), std::back_inserter(kept),
               [](const std::string& text) { return !text.empty(); });
  return in_a_row(kept, "or");
}

std::string noncentered(const RunFacts& run) {
  return setting(run, "model.parameterization") == "centered" ? "--set model.parameterization=noncentered" : "";
}

std::string rewritten(const RunFacts& run) {
  return noncentered(run).empty() ? "another parameterisation of the model" : "";
}

bool learns_step_size(const RunFacts& run) {
  return run.settings.contains("target_accept") && number_setting(run, "step_size", 0) == 0;
}

std::string learned_steps(const RunFacts& run) {
  const bool possible = run.settings.contains("target_accept") && !learns_step_size(run);
  return possible ? "--set step_size=0 (warm-up finds it)" : "";
}

std::string smaller_steps(const RunFacts& run) {
  if (const double step = number_setting(run, "step_size", 0); step > 0) {
    const bool far_too_large = run.acceptance.size() > 0 && run.acceptance.mean() < kLeastAcceptance;
    if (far_too_large) return learned_steps(run);  // half of it would be as bad
    return fmt::format("--set step_size={:.3g}", step / 2);
  }
  const double target = number_setting(run, "target_accept", 1);
  if (target < 0.95) return "--set target_accept=0.95";
  return target < 0.99 ? "--set target_accept=0.99" : "";
}

// A metric of the whole posterior pays where coordinates are correlated. Where trajectories diverge the shape changes
// from place to place, and none does: docs/choosing-a-sampler.md has the measurements.
std::string better_metric(const RunFacts& run) {
  const std::string& metric = setting(run, "metric");
  const bool diagonal = metric == "identity" || metric == "welford" || metric == "fisher_diag";
  return diagonal && run.names.size() > 1 && run.divergences == 0 ? "--set metric=lbfgs" : "";
}

std::string deeper_trees(const RunFacts& run) {
  constexpr double most = 24;
  const double depth = number_setting(run, "max_depth", most);
  return depth < most ? fmt::format("--set max_depth={:.0f}", std::min(depth + 2, most)) : "";
}

std::string better_solver(const RunFacts& run) {
  const bool fixed_point = setting(run, "solver") == "fixed_point" ||
                           (setting(run, "solver") == "auto" && setting(run, "geometry") == "softabs");
  return fixed_point ? "--set solver=newton" : "";
}

std::string better_sampler(const RunFacts& run) {
  return run.sampler == "rwm" || run.sampler == "mala" ? "--sampler nuts" : "";
}

std::string longer_warmup(const RunFacts& run) {
  constexpr std::int64_t usual = 1000;
  return fmt::format("--warmup {}", std::max(usual, 2 * run.warmup));
}

std::string more_draws(const RunFacts& run, double factor) {
  if (run.stopped_early) return "--resume";
  return fmt::format("--draws {:.0f}", rounded_up(static_cast<double>(run.iterations) * factor));
}

std::string enough_draws(const RunFacts& run) {
  constexpr double usual = 1000;
  if (run.stopped_early) return "--resume";
  return fmt::format("--draws {:.0f}", usual * static_cast<double>(run.thin));
}

}  // namespace quasar::diagnostics
