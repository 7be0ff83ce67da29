#include "front/manifolds/procrustes.hpp"

#include <utility>
#include <vector>

#include <quasar/errors.hpp>

#include "core/timed.hpp"
#include "manifolds/problems/procrustes.hpp"

namespace quasar {
namespace {

constexpr Choice procrustes_solvers[] = {{"auto"},  {"closed_form"},        {"trust_region"},
                                         {"lbfgs"}, {"conjugate_gradient"}, {"steepest_descent"}};

[[noreturn]] void refuse_rotation() {
  throw UsageError("rotation: it is for matrices with as many columns, by solver closed_form");
}

void choose_procrustes_solver(ManifoldSettings& settings, const Manifold::Shape& shape, bool rotation) {
  const bool square = shape.rows == shape.cols;
  if (settings.solver == "auto") settings.solver = square ? "closed_form" : "trust_region";
  const bool closed = settings.solver == "closed_form";
  if (closed && !square) {
    throw UsageError("solver: there is a closed form for matrices with as many columns alone; trust_region goes on");
  }
  if (rotation && !closed) refuse_rotation();
}

}  // namespace

std::span<const ParamSpec> procrustes_params() {
  static const std::vector<ParamSpec> params =
      manifold_params(procrustes_solvers, "stop when the gradient is so short, in units of 2 |A'B|",
                      {{.name = "rotation",
                        .doc = "only rotations, no reflections: the determinant is 1",
                        .type = ParamSpec::boolean,
                        .init = "false"}});
  return params;
}

Config procrustes_config(const Settings& given) {
  Config config = manifold_config("procrustes", procrustes_params(), given);
  const std::string& solver = config.text("solver");
  if (config.flag("rotation") && solver != "auto" && solver != "closed_form") refuse_rotation();
  return config;
}

SolvedProcrustes procrustes(const Mat& a, const Mat& b, const Settings& given, const Watch& watch) {
  const Config config = procrustes_config(given);
  ManifoldSettings settings = manifold_settings(config);
  SolvedProcrustes solved;
  {
    const Timed timed(solved.seconds);
    Procrustes problem(a, b);
    const bool rotation = config.flag("rotation");
    choose_procrustes_solver(settings, problem.manifold().shape(), rotation);
    settings.tolerance *= problem.gradient_size();
    SolvedPoint found;
    if (watch.within_step && !watch.within_step({})) {  // the singular values may take long
      solved.solver = settings.solver;
      solved.stop = ManifoldStop::interrupted;
      return solved;
    }
    found.x = problem.polar_factor(rotation);
    if (settings.solver == "closed_form") {
      found.solver = settings.solver;
      Mat gradient = found.x;
      found.progress.value = problem.gradient(found.x, gradient);
      found.progress.gradient_norm = problem.manifold().norm(found.x, gradient);
      found.progress.passes = 1;
    } else {
      found = solve(problem, found.x, settings, watch);
    }
    static_cast<Solved&>(solved) = {found.solver, found.stop, found.progress, solved.seconds};
    solved.residual = (a * found.x - b).norm();
    solved.q = std::move(found.x);
  }
  return solved;
}

}  // namespace quasar
