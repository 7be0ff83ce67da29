// The loop around every solver on manifolds: a solver makes a State at a point and steps it; the loop says when to
// stop.
#pragma once

#include <chrono>
#include <concepts>
#include <cstdint>
#include <functional>
#include <limits>
#include <string_view>

#include <quasar/manifold_problem.hpp>

namespace quasar {

enum class ManifoldStop {
  converged,        // the gradient, or the error, is as small as was asked for
  iteration_limit,  // it is not yet, after as many steps or passes over the data as were allowed
  no_decrease,      // no step along the direction lowers the cost beyond its rounding
  not_finite,       // no step leads to a point of the manifold
  interrupted,      // it was asked to
};
std::string_view to_string(ManifoldStop stop);

enum class StepOutcome { moved, no_decrease, not_finite };

// What a step reports. A deterministic solver knows cost and gradient at x, a stochastic one those of the last
// snapshot.
struct Progress {
  std::int64_t steps = 0;
  double value = std::numeric_limits<double>::quiet_NaN();
  double gradient_norm = std::numeric_limits<double>::infinity();
  double passes = 0;          // looks at all of the data, or at as many terms in batches
  std::int64_t halvings = 0;  // of steps that led out of the manifold
};

struct StopRules {
  double gradient_norm = 1e-8;
  std::int64_t max_steps = 1000;
  double max_passes = std::numeric_limits<double>::infinity();
  std::function<double(MatIn x)> error = {};  // where the answer is known: how far x is from it
  double least_error = 0;
  std::function<bool(const Progress&)> go_on = {};         // asked before each step, once; false: stop here
  std::function<bool(const Progress&)> go_on_within = {};  // asked ten times a second within long steps
};

// A step may be many passes long: it asks between its parts whether to end before its time, which is no failure. By
// default never.
class WithinStep {
 public:
  WithinStep() = default;
  explicit WithinStep(const StopRules& rules) : rules_(&rules), asked_(Clock::now()) {}
  // Told to by go_on_within, at the limit of passes, or where the snapshot at its beginning turns out to be the answer.
  bool ends(const Progress& progress);
  bool interrupted() const { return interrupted_; }
  double most_passes() const {
    return rules_ == nullptr ? std::numeric_limits<double>::infinity() : rules_->max_passes;
  }

 private:
  using Clock = std::chrono::steady_clock;
  const StopRules* rules_ = nullptr;
  Clock::time_point asked_ = {};
  bool interrupted_ = false;
};

struct ManifoldState {
  Mat x;
  Progress progress = {};
  WithinStep within = {};
};

template <class S>
concept ManifoldSolver = std::derived_from<typename S::State, ManifoldState> && std::copyable<typename S::State> &&
    requires(S& solver, typename S::State& state, const Mat& start) {
  { solver.init(start) } -> std::same_as<typename S::State>;  // allocates everything
  { solver.step(state) } -> std::same_as<StepOutcome>;
};

struct ManifoldOptimum {
  Mat x;
  Progress progress;
  ManifoldStop stop;
};

// Whether to stop before another step.
bool is_close_enough(const ManifoldState& state, const StopRules& rules);
bool is_at_limit(const Progress& progress, const StopRules& rules);

template <ManifoldSolver Solver>
ManifoldOptimum minimize(Solver solver, const Mat& start, const StopRules& rules = {}) {
  auto state = solver.init(start);
  state.within = WithinStep(rules);
  const auto ended = [&](ManifoldStop why) { return ManifoldOptimum{state.x, state.progress, why}; };
  try {
    for (;;) {
      if (is_close_enough(state, rules)) return ended(ManifoldStop::converged);
      if (is_at_limit(state.progress, rules)) return ended(ManifoldStop::iteration_limit);
      if (rules.go_on && !rules.go_on(state.progress)) return ended(ManifoldStop::interrupted);
      ++state.progress.steps;
      const StepOutcome outcome = solver.step(state);
      if (state.within.interrupted()) return ended(ManifoldStop::interrupted);
      if (outcome == StepOutcome::no_decrease) return ended(ManifoldStop::no_decrease);
      if (outcome == StepOutcome::not_finite) return ended(ManifoldStop::not_finite);
    }
  } catch (const StoppedEarly&) {
    return ended(ManifoldStop::interrupted);
  }
}

}  // namespace quasar
