#include "experiments/solver_race.hpp"

#include <cmath>
#include <limits>
#include <utility>

namespace quasar {

double SolverCurve::passes_to(double error) const {
  for (std::size_t i = 0; i < errors.size(); ++i) {
    if (errors[i] <= error) return passes[i];
  }
  return std::numeric_limits<double>::infinity();
}

bool SolverCurve::diverged() const {
  return stopped || !std::isfinite(errors.back()) || errors.back() > 1e6 * errors.front();
}

// Among settings that do not get there the last error decides.
const RaceSettings& best_settings(const RaceMethod& method, RaceProblem& problem) {
  const RaceSettings* best = &method.settings.front();
  if (method.settings.size() == 1) return *best;
  std::pair<double, double> least{std::numeric_limits<double>::infinity(), std::numeric_limits<double>::infinity()};
  for (const RaceSettings& settings : method.settings) {
    const SolverCurve curve = settings.run(problem);
    const double last = curve.diverged() ? std::numeric_limits<double>::infinity() : curve.errors.back();
    const std::pair seen{curve.passes_to(least_error), last};
    if (seen < least) least = seen, best = &settings;
  }
  return *best;
}

void add_race_rows(const std::string& name, const SolverCurve& curve, std::vector<ExperimentRow>& rows) {
  const auto add = [&](const char* quantity, double value) {
    rows.push_back({name, quantity, value, std::nullopt, std::nullopt});
  };
  if (curve.diverged()) {
    add("diverged_at", curve.passes.back());
  } else {
    for (const auto& [quantity, error] : {std::pair("passes to 1e-6", 1e-6), {"passes to 1e-12", least_error}}) {
      if (std::isfinite(curve.passes_to(error))) add(quantity, curve.passes_to(error));
    }
  }
  add("error", curve.errors.back());
  add("passes", curve.passes.back());
  add("gradients of terms", curve.evaluations);
  add("CPU seconds", curve.seconds.back());
  add("pairs skipped", curve.skipped);
}

void add_race_curve(const std::string& name, const SolverCurve& curve, Panel& by_passes, Panel& by_seconds) {
  Series passes{.name = name, .x = curve.passes, .y = curve.errors}, seconds = passes;
  if (!std::isfinite(passes.y.back())) passes.x.pop_back(), passes.y.pop_back();
  seconds.x.assign(curve.seconds.begin(), curve.seconds.begin() + std::ssize(passes.y));
  seconds.y = passes.y;
  by_passes.series.push_back(std::move(passes));
  by_seconds.series.push_back(std::move(seconds));
}

}  // namespace quasar
