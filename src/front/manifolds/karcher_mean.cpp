#include "front/manifolds/karcher_mean.hpp"

#include <cmath>
#include <utility>

#include <quasar/errors.hpp>

#include "core/blas_threads.hpp"
#include "core/timed.hpp"
#include "manifolds/problems/karcher_mean.hpp"
#include "manifolds/symmetric.hpp"

namespace quasar {
namespace {

constexpr Choice mean_solvers[] = {
    {"lbfgs"}, {"trust_region"}, {"conjugate_gradient"}, {"steepest_descent"}, {"sv_lbfgs"}, {"svrg"}, {"sgd"}};
constexpr Choice mean_starts[] = {{"log_euclidean"}, {"arithmetic"}};

// The Hessian of dist^2 is at least 2 and seldom above 4 near the mean: steps that are right for 1/4 to 1/2 of it.
constexpr double mean_step = 0.2, mean_first_step = 0.05, mean_quasi_newton_step = 0.5;

Mat arithmetic_mean(const std::vector<Mat>& matrices) {
  Mat sum = matrices.front();
  for (std::size_t i = 1; i < matrices.size(); ++i) sum += matrices[i];
  return sum / static_cast<double>(matrices.size());
}

// exp of the mean logarithm (Arsigny, Fillard, Pennec and Ayache, SIAM J. Matrix Analysis 29, 2007): the answer where
// all matrices commute. Where variables of very different units leave logarithms without digits the arithmetic mean,
// which goes with the units as the answer does.
Mat log_euclidean_mean(KarcherMean& problem) {
  const Index n = problem.manifold().shape().rows;
  Mat gradient(n, n);
  try {
    problem.gradient(Mat::Identity(n, n), gradient);  // -2 times the mean logarithm
  } catch (const DataError&) {
    return arithmetic_mean(problem.matrices());
  }
  return spectrum(-0.5 * gradient).map([](double x) { return std::exp(x); });
}

void choose_mean_steps(ManifoldSettings& settings) {
  if (settings.step_size == 0) settings.step_size = settings.solver == "sv_lbfgs" ? mean_quasi_newton_step : mean_step;
  if (settings.first_step == 0) settings.first_step = mean_first_step;
}

SolvedPoint mean_by_search(KarcherMean& problem, bool flat, const ManifoldSettings& settings, const Watch& watch) {
  const Mat start = flat ? log_euclidean_mean(problem) : arithmetic_mean(problem.matrices());
  SolvedPoint found = solve(problem, start, settings, watch);
  if (flat) ++found.progress.passes;
  return found;
}

}  // namespace

std::span<const ParamSpec> karcher_mean_params() {
  static const std::vector<ParamSpec> params = with_seed_and_threads(
      manifold_params(mean_solvers, "stop when the gradient of the mean squared distance is so short",
                      {{.name = "start",
                        .doc = "where the solver starts: the log-Euclidean mean, or the arithmetic one",
                        .type = ParamSpec::choice,
                        .init = "log_euclidean",
                        .choices = mean_starts}}));
  return params;
}

Config karcher_mean_config(const Settings& given) {
  return manifold_config("karcher-mean", karcher_mean_params(), given);
}

SolvedMean karcher_mean(std::vector<Mat> matrices, const Settings& given, const Watch& watch) {
  const Config config = karcher_mean_config(given);
  ManifoldSettings settings = manifold_settings(config);
  choose_mean_steps(settings);
  SolvedMean solved;
  {
    const Timed timed(solved.seconds);
    const SingleThreadedBlas pinned;
    KarcherMean problem(std::move(matrices), settings.threads, go_on_within(watch));
    SolvedPoint found;
    try {
      found = mean_by_search(problem, config.text("start") == "log_euclidean", settings, watch);
    } catch (const StoppedEarly&) {
      found.stop = ManifoldStop::interrupted;
    }
    static_cast<Solved&>(solved) = {settings.solver, found.stop, found.progress, solved.seconds};
    solved.mean = std::move(found.x);
    solved.variance = found.progress.value;
  }
  return solved;
}

}  // namespace quasar
