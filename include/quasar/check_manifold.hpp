// quasar/check_manifold.hpp -- do a cost, its gradient and its Hessian belong together? For authors of problems.
//
//   if (const auto check = check_gradient(problem, x, Rng(1)); !check.ok) std::cerr << check.message;
//
// Each check takes steps h along a random direction and measures the power of h with which an error falls: the slope in
// a plot of both logarithms (Boumal, "An Introduction to Optimization on Smooth Manifolds", 2023, sections 4.8, 6.8).
#pragma once

#include <string>

#include <quasar/manifold_problem.hpp>

namespace quasar {

struct SlopeCheck {
  bool ok = false;
  double slope = 0;     // NaN: no error above rounding; not ok where that covers the change of the cost too
  double defect = 0;    // what else must vanish, relative: see each check
  std::string message;  // one sentence: the verdict and the numbers behind it
};

// |f(exp(h u)) - f(x) - h <g, u>| falls like h^2. Defect: the part of the gradient g that is not tangent.
SlopeCheck check_gradient(ManifoldProblem& problem, MatIn x, const Rng& rng = Rng(1));

// |f(exp(h u)) - f(x) - h <g, u> - h^2/2 <H u, u>| falls like h^3. Defect: how far H is from symmetric, or H u from
// tangent.
SlopeCheck check_hessian(ManifoldProblem& problem, MatIn x, const Rng& rng = Rng(1));

// |retract(h u) - exp(h u)| falls like h^2 at least, like h^3 for a retraction of second order. Defect: the largest
// violation of the manifold's constraints, 0 or 1.
SlopeCheck check_retraction(const Manifold& manifold, MatIn x, const Rng& rng = Rng(1));

}  // namespace quasar
