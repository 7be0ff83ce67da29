// Solvers that minimize alike, and what they are tried on.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <memory>

#include <quasar/manifolds.hpp>

#include "solvers/manifold/conjugate_gradient.hpp"
#include "solvers/manifold/lbfgs.hpp"
#include "solvers/manifold/minimize.hpp"
#include "solvers/manifold/steepest_descent.hpp"
#include "solvers/manifold/trust_region.hpp"
#include "solvers/manifold/variance_reduced.hpp"
#include "support/manifold_problems.hpp"

namespace quasar::test {

// Each of the solvers with all terms.
template <class Test>
void with_each_solver(ManifoldProblem& problem, Test test) {
  test("steepest descent", ManifoldDescent(problem));
  test("conjugate gradient", ManifoldConjugateGradient(problem));
  test("L-BFGS", ManifoldLbfgs(problem));
  test("L-BFGS, cheap moves", ManifoldLbfgs(problem, {.moves = Moves::cheap}));
  test("trust region", ManifoldTrustRegion(problem));
}

inline void expect_minimum(ManifoldProblem& problem, const Mat& start, const Mat& answer, double tolerance) {
  with_each_solver(problem, [&](const char* name, auto solver) {
    const ManifoldOptimum found = minimize(solver, start, {.gradient_norm = 1e-9, .max_steps = 500});
    EXPECT_EQ(found.stop, ManifoldStop::converged) << name << ", gradient " << found.progress.gradient_norm;
    EXPECT_LT((found.x - answer).norm(), tolerance) << name << "\n" << found.x;
  });
}

// x'Ax / 2 on the sphere with eigenvalues from 1 to 1000: badly conditioned.
inline std::unique_ptr<ManifoldProblem> spread_eigenvalues() {
  const Vec values = (std::log(1000.0) * Vec::LinSpaced(30, 0, 1).array()).exp();
  return make_problem(sphere(30), {[values](MatIn x) { return 0.5 * x.col(0).dot(values.cwiseProduct(x.col(0))); },
                                   [values](MatIn x, MatOut g) { g = values.cwiseProduct(x.col(0)); },
                                   [values](MatIn, MatIn u, MatOut h) { h = values.cwiseProduct(u.col(0)); }});
}

struct EigenSetting {
  EigenData data;
  LeadingEigenvector problem;
  explicit EigenSetting(double gap, Index d = 30, Index terms = 1000)
      : data(d, terms, gap, Rng(12)), problem(data.data) {}
  Mat start() const { return data.start(1e-2, Rng(12)); }
  StopRules rules(double max_passes) const {
    return {.max_passes = max_passes, .error = [this](MatIn z) { return data.error(z); }, .least_error = 1e-12};
  }
};

inline const BatchParams karcher_batches{.batch_size = 10, .inner_steps = 6};

struct KarcherSetting {
  KarcherMean problem;
  Mat answer;
  explicit KarcherSetting(double condition)
      : problem(random_spds(5, 60, condition, Rng(10))), answer(karcher_by_fixed_steps(problem).mean) {}
  Mat start() const { return problem.matrices().front(); }
  StopRules rules(double max_passes = 100) const {
    return {.max_passes = max_passes,
            .error = [this](MatIn x) { return (x - answer).squaredNorm(); },
            .least_error = 1e-12};
  }
};

}  // namespace quasar::test
