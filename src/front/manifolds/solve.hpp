// Runs the solver that the settings name.
#pragma once

#include <functional>
#include <string>

#include "front/manifolds/settings.hpp"

namespace quasar {

// Who looks on. false: stop, with the point reached.
struct Watch {
  using Ask = std::function<bool(const Progress&)>;
  Ask before_step = {};  // once
  Ask within_step = {};  // ten times a second in what takes long, where progress may not be known
};
Watch throughout(const Watch::Ask& ask);  // the same in both places

// Whether to go on: within_step, as what is asked many times a second asks it. Empty where nobody looks on.
std::function<bool()> go_on_within(const Watch& watch);

struct Solved {  // what every solved problem tells
  std::string solver;
  ManifoldStop stop = ManifoldStop::converged;
  Progress progress = {};
  double seconds = 0;
};

struct SolvedPoint : Solved {
  Mat x;
};

// For costs without terms: sgd, svrg, sv_lbfgs and vr_pca are not among their solvers.
SolvedPoint solve(ManifoldProblem& problem, const Mat& start, const ManifoldSettings& settings, const Watch& watch);
// The step sizes of the settings are above 0. RunError: minibatches led to no point of the manifold.
SolvedPoint solve(ManifoldSum& problem, const Mat& start, const ManifoldSettings& settings, const Watch& watch);

void require_a_point(const SolvedPoint& solved, const ManifoldSettings& settings);
StopRules stop_rules(const ManifoldSettings& settings, const Watch& watch);

// Solvers with minibatches tell of the last snapshot, which x is where they have converged: cost and gradient at x
// itself, for one more pass, unless somebody waits for the end.
void look_at(ManifoldProblem& problem, SolvedPoint& solved, double tolerance);

}  // namespace quasar
