#include "front/manifolds/solve.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include <quasar/errors.hpp>

#include "solvers/manifold/conjugate_gradient.hpp"
#include "solvers/manifold/lbfgs.hpp"
#include "solvers/manifold/sgd.hpp"
#include "solvers/manifold/steepest_descent.hpp"
#include "solvers/manifold/svrg.hpp"
#include "solvers/manifold/trust_region.hpp"

namespace quasar {
namespace {

constexpr Index batches_of_data = 20;

BatchParams batches_of(const ManifoldSum& problem, const ManifoldSettings& settings) {
  const Index size = settings.batch_size > 0 ? settings.batch_size : problem.terms() / batches_of_data;
  return {std::max<Index>(1, size), settings.inner_steps};
}

SolvedPoint solved_by(const ManifoldSettings& settings, ManifoldOptimum found) {
  SolvedPoint solved;
  solved.solver = settings.solver;
  solved.stop = found.stop;
  solved.progress = found.progress;
  solved.x = std::move(found.x);
  return solved;
}

// With minibatches, by the name of the solver.
ManifoldOptimum minimize_by_batches(ManifoldSum& problem, const Mat& start, const ManifoldSettings& settings,
                                    const StopRules& rules) {
  const BatchParams batches = batches_of(problem, settings);
  const Rng rng = Rng(settings.seed).child("batches");
  if (settings.solver == "sgd") {
    return minimize(ManifoldSgd(problem,
                                {.step_size = settings.step_size,
                                 .batch_size = batches.batch_size,
                                 .moves = settings.moves.value_or(Moves::cheap)},
                                rng),
                    start, rules);
  }
  const Moves::Kind moves = settings.moves.value_or(Moves::geodesic);
  if (settings.solver == "svrg") {
    return minimize(ManifoldSvrg(problem, {.step_size = settings.step_size, .batches = batches, .moves = moves}, rng),
                    start, rules);
  }
  const ManifoldSvLbfgs::Params params{.first_step = settings.first_step,
                                       .step_size = settings.step_size,
                                       .memory = settings.memory,
                                       .pair_every = settings.pair_every,
                                       .gradient_loops = settings.gradient_loops,
                                       .gradient_steps = settings.gradient_steps,
                                       .pairs = settings.pairs,
                                       .update = settings.update,
                                       .longest_step = settings.longest_step,
                                       .least_curvature = settings.least_curvature,
                                       .batches = batches,
                                       .moves = moves};
  return minimize(ManifoldSvLbfgs(problem, params, rng), start, rules);
}

ManifoldOptimum minimize_by_all_terms(ManifoldProblem& problem, const Mat& start, const ManifoldSettings& settings,
                                      const StopRules& rules) {
  const Moves::Kind cheap = settings.moves.value_or(Moves::cheap);
  if (settings.solver == "steepest_descent") return minimize(ManifoldDescent(problem, cheap), start, rules);
  if (settings.solver == "conjugate_gradient") {
    return minimize(ManifoldConjugateGradient(problem, cheap), start, rules);
  }
  if (settings.solver == "trust_region") return minimize(ManifoldTrustRegion(problem), start, rules);
  ManifoldLbfgs::Params params{.moves = settings.moves.value_or(Moves::geodesic)};
  if (settings.memory > 0) params.memory = settings.memory;
  return minimize(ManifoldLbfgs(problem, params), start, rules);
}

}  // namespace

Watch throughout(const Watch::Ask& ask) { return {ask, ask}; }

std::function<bool()> go_on_within(const Watch& watch) {
  if (!watch.within_step) return {};
  using Clock = std::chrono::steady_clock;
  return [ask = watch.within_step, asked = Clock::now()]() mutable {
    if (Clock::now() - asked < std::chrono::milliseconds(100)) return true;
    asked = Clock::now();
    return ask({});
  };
}

void require_a_point(const SolvedPoint& solved, const ManifoldSettings& settings) {
  if (solved.stop != ManifoldStop::not_finite) return;
  const bool two = settings.solver == "sv_lbfgs";
  throw RunError(fmt::format(
      "solver {} ended after {:.4g} passes over the data: a step led to no point of the manifold, or to one where the "
      "cost is not finite. Try a smaller step_size, here {:.3g}{}",
      settings.solver, solved.progress.passes, settings.step_size,
      two ? fmt::format(", and first_step, here {:.3g}", settings.first_step) : ""));
}

StopRules stop_rules(const ManifoldSettings& settings, const Watch& watch) {
  return {.gradient_norm = settings.tolerance,
          .max_steps = settings.max_iterations,
          .max_passes = settings.max_passes,
          .go_on = watch.before_step,
          .go_on_within = watch.within_step};
}

SolvedPoint solve(ManifoldProblem& problem, const Mat& start, const ManifoldSettings& settings, const Watch& watch) {
  return solved_by(settings, minimize_by_all_terms(problem, start, settings, stop_rules(settings, watch)));
}

SolvedPoint solve(ManifoldSum& problem, const Mat& start, const ManifoldSettings& settings, const Watch& watch) {
  if (!is_stochastic(settings.solver)) return solve(static_cast<ManifoldProblem&>(problem), start, settings, watch);
  SolvedPoint solved = solved_by(settings, minimize_by_batches(problem, start, settings, stop_rules(settings, watch)));
  require_a_point(solved, settings);
  try {
    look_at(problem, solved, settings.tolerance);
  } catch (const DataError&) {  // steps from the last snapshot
    solved.stop = ManifoldStop::not_finite;
    require_a_point(solved, settings);
  } catch (const StoppedEarly&) {
    solved.stop = ManifoldStop::interrupted;
  }
  return solved;
}

void look_at(ManifoldProblem& problem, SolvedPoint& solved, double tolerance) {
  if (solved.stop == ManifoldStop::converged || solved.stop == ManifoldStop::interrupted) return;
  Mat gradient = solved.x;
  solved.progress.value = problem.gradient(solved.x, gradient);
  solved.progress.gradient_norm = problem.manifold().norm(solved.x, gradient);
  ++solved.progress.passes;
  if (solved.progress.gradient_norm <= tolerance) solved.stop = ManifoldStop::converged;
}

}  // namespace quasar
