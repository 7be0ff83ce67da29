#include "minimize.hpp"

#include <fmt/core.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>

#include <cmath>
#include <limits>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <quasar/check_manifold.hpp>
#include <quasar/errors.hpp>

#include "front/manifolds/solve.hpp"
#include "function_problem.hpp"
#include "manifold_problems.hpp"
#include "manifolds.hpp"

namespace quasar::python {
namespace {

constexpr Choice cost_solvers[] = {{"trust_region"}, {"lbfgs"}, {"conjugate_gradient"}, {"steepest_descent"}, {"svrg"},
                                   {"sv_lbfgs"},     {"sgd"}};

// Of a cost nothing is known: these suit one whose curvature is about one.
constexpr double cost_step = 0.1, cost_first_step = 0.05, cost_quasi_newton_step = 0.5;

ManifoldSettings cost_settings(const Settings& given) {
  static const std::vector<ParamSpec> params =
      with_seed_and_threads(manifold_params(cost_solvers, "stop when the gradient is so short", {}));
  ManifoldSettings settings = manifold_settings(manifold_config("minimize", params, given));
  if (settings.step_size == 0) settings.step_size = settings.solver == "sv_lbfgs" ? cost_quasi_newton_step : cost_step;
  if (settings.first_step == 0) settings.first_step = cost_first_step;
  return settings;
}

// watch(steps, cost, norm of the gradient, passes), once before every step. What it raises ends the search, Ctrl-C too,
// which is heard within steps as well.
Watch watching(const SharedObject& watch) {
  const auto tell = [watch](const Progress& at) {
    const InterpreterLock lock;
    (*watch)(at.steps, at.value, at.gradient_norm, at.passes);
    return true;
  };
  return {tell, go_on_unless_interrupted};
}

// x, cost, norm of the gradient, steps, passes, halvings, why it stopped
using Found = std::tuple<NewArray<double>, double, double, std::int64_t, double, std::int64_t, std::string>;

SolvedPoint solve_unlocked(FunctionProblem& problem, const Mat& start, const ManifoldSettings& settings,
                           const Watch& watch) {
  const InterpreterUnlocked unlocked;
  return solve(problem, start, settings, watch);
}

// Partial derivatives that are taken for a gradient of the manifold would lead astray in silence. The gradient may have
// been made of floats; one as short as is asked for ends the search, wherever it points.
void require_tangent(FunctionProblem& problem, MatIn start, double short_enough) {
  Mat gradient = start;
  const double cost = problem.gradient(start, gradient);
  const double away = (gradient - problem.manifold().project(start, gradient)).norm();
  const double rounding = 100 * std::numeric_limits<double>::epsilon() * std::abs(cost);
  if (gradient.norm() <= short_enough || away <= 1e-5 * gradient.norm() + rounding) return;
  throw DataError(fmt::format(
      "riemannian: the gradient at the start points {:.3g} out of the tangent space, of a length of {:.3g}; "
      "partial derivatives go without riemannian=True",
      away, gradient.norm()));
}

Found minimize_cost(const PyManifold& manifold, const CostFunctions& functions, const Settings& given,
                    const Vector& start, nb::object watch) {
  const ManifoldSettings settings = cost_settings(given);
  if (is_stochastic(settings.solver) && functions.batch_gradient.is_none()) {
    throw UsageError("solver " + settings.solver + " looks at a few rows at a time, and there are none: give data=");
  }
  FunctionProblem problem(manifold.manifold, functions);
  if (functions.riemannian) require_tangent(problem, as_matrix(*manifold.manifold, start), settings.tolerance);
  const SolvedPoint end =
      solve_unlocked(problem, as_matrix(*manifold.manifold, start), settings, watching(share(std::move(watch))));
  const Progress& at = end.progress;
  return {
      as_array(end.x), at.value, at.gradient_norm, at.steps, at.passes, at.halvings, std::string(to_string(end.stop))};
}

using Checked = std::tuple<bool, double, double, std::string>;

Checked as_tuple(const SlopeCheck& check) { return {check.ok, check.slope, check.defect, check.message}; }

using CheckOfProblem = SlopeCheck (*)(ManifoldProblem& problem, MatIn x, const Rng& rng);

void add_check(nb::module_& module, const char* name, CheckOfProblem check) {
  module.def(
      name,
      [check](const PyManifold& manifold, const CostFunctions& functions, const Vector& x, std::uint64_t seed) {
        const auto at = as_matrix(*manifold.manifold, x);
        manifold->check(at);
        FunctionProblem problem(manifold.manifold, functions);
        const InterpreterUnlocked unlocked;
        return as_tuple(check(problem, at, Rng(seed)));
      },
      nb::arg("manifold"), nb::arg("functions"), nb::arg("x"), nb::arg("seed"));
}

Checked checked_retraction(const PyManifold& manifold, const Vector& x, std::uint64_t seed) {
  const auto at = as_matrix(*manifold.manifold, x);
  manifold->check(at);
  const InterpreterUnlocked unlocked;
  return as_tuple(check_retraction(*manifold.manifold, at, Rng(seed)));
}

}  // namespace

void add_minimize(nb::module_& module) {
  nb::class_<CostFunctions>(module, "CostFunctions")
      .def(nb::init<nb::object, nb::object, nb::object, nb::object, Index, bool>(), nb::arg("value"),
           nb::arg("gradient"), nb::arg("hessian").none(), nb::arg("batch_gradient").none(), nb::arg("terms"),
           nb::arg("riemannian"));
  module.def("minimize", minimize_cost, nb::arg("manifold"), nb::arg("functions"), nb::arg("settings"),
             nb::arg("start"), nb::arg("watch"));
  add_check(module, "check_gradient", check_gradient);
  add_check(module, "check_hessian", check_hessian);
  module.def("check_retraction", checked_retraction, nb::arg("manifold"), nb::arg("x"), nb::arg("seed"));
}

}  // namespace quasar::python
