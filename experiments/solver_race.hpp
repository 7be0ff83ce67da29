// Solvers on one manifold, from one start: error against passes over the data and against time. A method is a list of
// settings; the one that needs the fewest passes on a smaller problem is run on the whole one.
#pragma once

#include <nlohmann/json.hpp>

#include <functional>
#include <string>
#include <vector>

#include <quasar/experiment.hpp>
#include <quasar/manifold_problem.hpp>

#include "experiments/thread_stopwatch.hpp"
#include "solvers/manifold/decorators.hpp"

namespace quasar {

struct SolverCurve {
  std::string settings;
  std::vector<double> passes, seconds, errors;  // the first are of the start
  double evaluations = 0, skipped = 0;          // gradients of single terms; pairs left out
  bool stopped = false;                         // no step led to a point of the manifold

  double passes_to(double error) const;  // infinite where it is not reached
  bool diverged() const;
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(SolverCurve, settings, passes, seconds, errors, evaluations, skipped, stopped)

constexpr double least_error = 1e-12;

struct RaceProblem {
  ManifoldSum* sum;
  Mat start;
  std::function<double(MatIn x)> error;
  double max_passes = 60;
};

struct RaceSettings {
  std::string text;
  std::function<SolverCurve(RaceProblem&)> run;
};
struct RaceMethod {
  std::string name;
  std::vector<RaceSettings> settings;
};

const RaceSettings& best_settings(const RaceMethod& method, RaceProblem& problem);
void add_race_rows(const std::string& name, const SolverCurve& curve, std::vector<ExperimentRow>& rows);
void add_race_curve(const std::string& name, const SolverCurve& curve, Panel& by_passes, Panel& by_seconds);

// Solver: of a sum, made by `make`, which sees one that counts. `skipped` reads its state.
template <class Make, class Skipped>
SolverCurve race(RaceProblem& problem, const Make& make, const Skipped& skipped) {
  Counted<ManifoldSum> counted(*problem.sum);
  auto solver = make(static_cast<ManifoldSum&>(counted));
  auto state = solver.init(problem.start);
  SolverCurve curve{.settings = {}, .passes = {0}, .seconds = {0}, .errors = {problem.error(state.x)}};
  while (curve.errors.back() > least_error && state.progress.passes < problem.max_passes && !curve.diverged()) {
    const ThreadStopwatch watch;
    const StepOutcome outcome = solver.step(state);
    curve.seconds.push_back(curve.seconds.back() + watch.seconds());
    curve.passes.push_back(state.progress.passes);
    curve.errors.push_back(problem.error(state.x));
    curve.stopped = outcome != StepOutcome::moved;
    if (curve.stopped) break;
  }
  curve.evaluations = static_cast<double>(counted.count.gradients * counted.terms() + counted.count.term_gradients);
  curve.skipped = static_cast<double>(skipped(state));
  return curve;
}

}  // namespace quasar
