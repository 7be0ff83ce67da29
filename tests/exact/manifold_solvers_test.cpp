// Solvers on manifolds: known answers, how many steps they take, and how they end.
#include "support/manifold_solvers.hpp"

#include <Eigen/LU>
#include <Eigen/SVD>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <numbers>
#include <numeric>
#include <vector>

#include <quasar/check_manifold.hpp>
#include <quasar/errors.hpp>
#include <quasar/manifolds.hpp>

#include "manifolds/problems/leading_eigenvector.hpp"
#include "solvers/manifold/conjugate_gradient.hpp"
#include "solvers/manifold/decorators.hpp"
#include "solvers/manifold/lbfgs.hpp"
#include "solvers/manifold/minimize.hpp"
#include "solvers/manifold/sgd.hpp"
#include "solvers/manifold/steepest_descent.hpp"
#include "solvers/manifold/sv_lbfgs.hpp"
#include "solvers/manifold/svrg.hpp"
#include "solvers/manifold/trust_region.hpp"
#include "solvers/manifold/vr_pca.hpp"
#include "support/allocations.hpp"
#include "support/manifold_problems.hpp"

namespace quasar {
namespace {

using test::EigenData;
using test::EigenSetting;
using test::expect_minimum;
using test::karcher_batches;
using test::KarcherSetting;
using test::spread_eigenvalues;
using test::with_each_solver;

TEST(LeadingEigenvector, HasTheGradientAndTheHessianOfItsCost) {
  const EigenData d(8, 20, 0.1, Rng(4));
  LeadingEigenvector problem(d.data);
  Stream stream = Rng(4).stream("point");
  const Mat z = problem.manifold().random_point(stream);
  const SlopeCheck gradient = check_gradient(problem, z), hessian = check_hessian(problem, z);
  EXPECT_TRUE(gradient.ok) << gradient.message;
  EXPECT_TRUE(hessian.ok) << hessian.message;
  EXPECT_NEAR(1 + problem.value(z), d.error(z), 1e-14);
  std::vector<Index> everything(20);
  std::iota(everything.begin(), everything.end(), 0);
  Mat all = z, batch = z;
  problem.gradient(z, all);
  problem.mean_gradient(z, everything, batch);
  EXPECT_LT((all - batch).norm(), 1e-14);
}

TEST(LeadingEigenvector, IsFoundByEachSolverFromARandomStart) {
  const EigenData d(12, 60, 0.2, Rng(5));
  LeadingEigenvector problem(d.data);
  Stream stream = Rng(5).stream("start");
  const Mat start = problem.manifold().random_point(stream);
  with_each_solver(problem, [&](const char* name, auto solver) {
    const ManifoldOptimum found = minimize(solver, start, {.gradient_norm = 1e-7, .max_steps = 3000});
    EXPECT_EQ(found.stop, ManifoldStop::converged) << name;
    EXPECT_LT(d.error(found.x), 1e-13) << name;
  });
}

TEST(LeadingEigenvector, RefusesWhatHasNone) {
  EXPECT_THROW(LeadingEigenvector(Mat::Constant(3, 2, std::numeric_limits<double>::quiet_NaN())), DataError);
  EXPECT_THROW(LeadingEigenvector(Mat(3, 0)), DataError);
}

std::int64_t lbfgs_iterations(double gap) {
  const EigenData d(30, 1000, gap, Rng(6));
  LeadingEigenvector problem(d.data);
  const StopRules rules{.max_steps = 200, .error = [&](MatIn z) { return d.error(z); }, .least_error = 1e-12};
  const ManifoldOptimum found = minimize(ManifoldLbfgs(problem), d.start(1e-2, Rng(6)), rules);
  EXPECT_EQ(found.stop, ManifoldStop::converged);
  return found.progress.steps;
}

TEST(Lbfgs, NeedsFewIterations) {
  EXPECT_LE(lbfgs_iterations(0.1), 12);
  EXPECT_LE(lbfgs_iterations(0.02), 60);
}

TEST(TangentPairs, AreForgottenWhereAProjectionMakesThemUseless) {
  const ManifoldPtr m = stiefel(3, 1);
  const Vec e1{{1, 0, 0}}, e2{{0, 1, 0}}, e3{{0, 0, 1}};
  TangentPairs pairs(*m, 3);
  EXPECT_TRUE(pairs.add(e1, e2, e2, 0));
  EXPECT_TRUE(pairs.add(e1, e3, 2 * e3, 0));
  EXPECT_FALSE(pairs.add(e1, e3, -e3, 0));
  pairs.carry(Moves(*m, Moves::cheap), e1, e2);  // e2 is no tangent vector there
  ASSERT_EQ(pairs.pairs(), 1);
  EXPECT_EQ(pairs.z(0), e3);
}

TEST(ConjugateGradient, NeedsFarFewerStepsThanSteepestDescent) {
  const auto problem = spread_eigenvalues();
  const Mat start = Vec::Constant(30, 1 / std::sqrt(30.0));
  const StopRules rules{.gradient_norm = 1e-6, .max_steps = 5000};
  const ManifoldOptimum conjugate = minimize(ManifoldConjugateGradient(*problem), start, rules);
  const ManifoldOptimum steepest = minimize(ManifoldDescent(*problem), start, rules);
  EXPECT_EQ(conjugate.stop, ManifoldStop::converged);
  EXPECT_LT(8 * conjugate.progress.steps, steepest.progress.steps);
}

// min |A X - B| over rotations: X = U diag(1, .., det UV') V' from A'B = U S V'.
TEST(Procrustes, IsSolvedByEachSolver) {
  Stream stream = Rng(8).stream("data");
  const Mat a = euclidean(9, 4)->random_point(stream), b = euclidean(9, 4)->random_point(stream);
  const Eigen::JacobiSVD<Mat> svd(a.transpose() * b, Eigen::ComputeFullU | Eigen::ComputeFullV);
  Vec signs = Vec::Ones(4);
  signs[3] = (svd.matrixU() * svd.matrixV().transpose()).determinant();
  const Mat answer = svd.matrixU() * signs.asDiagonal() * svd.matrixV().transpose();
  const Mat gram = a.transpose() * a, cross = a.transpose() * b;
  const auto problem = make_problem(rotations(4), {[&](MatIn x) { return 0.5 * (a * x - b).squaredNorm(); },
                                                   [&](MatIn x, MatOut g) { g = gram * x - cross; },
                                                   [&](MatIn, MatIn u, MatOut h) { h = gram * u; }});
  const Mat start = rotations(4)->exp(answer, 0.5 * rotations(4)->random_tangent(answer, stream));
  expect_minimum(*problem, start, answer, 1e-7);
}

// Principal subspaces: -tr X'AX / 2 over Grassmann, and with weights, -tr X'AX N / 2, each eigenvector over Stiefel.
TEST(PrincipalComponents, AreFoundOnGrassmannAndStiefel) {
  const EigenData d(10, 40, 0.3, Rng(9));
  Vec values = d.values;
  values.head(3) << 3, 2, 1.5;
  const Mat a = d.vectors * values.asDiagonal() * d.vectors.transpose(), leading = d.vectors.leftCols(3);
  Stream stream = Rng(9).stream("start");
  const auto cost = [&](const Mat& weights) {
    return AmbientCost{[&a, weights](MatIn x) { return -0.5 * x.cwiseProduct(a * x * weights).sum(); },
                       [&a, weights](MatIn x, MatOut g) { g = -a * x * weights; },
                       [&a, weights](MatIn, MatIn u, MatOut h) { h = -a * u * weights; }};
  };
  const Mat start = grassmann(10, 3)->random_point(stream);
  const auto subspace = make_problem(grassmann(10, 3), cost(Mat::Identity(3, 3)));
  with_each_solver(*subspace, [&](const char* name, auto solver) {
    const ManifoldOptimum found = minimize(solver, start, {.gradient_norm = 1e-7, .max_steps = 500});
    EXPECT_EQ(found.stop, ManifoldStop::converged) << name;
    EXPECT_LT((found.x * found.x.transpose() - leading * leading.transpose()).norm(), 1e-6) << name;
  });
  const Mat weights = Vec{{3, 2, 1}}.asDiagonal();
  const auto frame = make_problem(stiefel(10, 3), cost(weights));
  with_each_solver(*frame, [&](const char* name, auto solver) {
    const ManifoldOptimum found = minimize(solver, start, {.gradient_norm = 1e-7, .max_steps = 2000});
    EXPECT_EQ(found.stop, ManifoldStop::converged) << name;
    EXPECT_GT((leading.transpose() * found.x).cwiseAbs().diagonal().minCoeff(), 1 - 1e-10) << name;
  });
}

TEST(Decorators, CountAndRecord) {
  EigenSetting setting(0.1, 10, 50);
  Counted<ManifoldSum> counted(setting.problem);
  ManifoldSvrg svrg(counted, {.batches = {.batch_size = 5}}, Rng(23));
  auto state = svrg.init(setting.start());
  svrg.step(state);
  EXPECT_EQ(counted.count.gradients, 1);
  EXPECT_EQ(counted.count.term_gradients, 100);  // two passes
  EXPECT_EQ(state.progress.passes, 2);
  ManifoldSvLbfgs quasi_newton(counted, {.batches = {.batch_size = 5}}, Rng(23));
  counted.count = {};
  auto other = quasi_newton.init(setting.start());
  quasi_newton.step(other);
  quasi_newton.step(other);
  EXPECT_EQ(counted.count.term_gradients, 100 + 45 + 100 + 50);  // no pair in the first step
  EXPECT_EQ(other.progress.passes, 4);                           // a look at a batch is for all of its gradients

  std::vector<Recorded<ManifoldLbfgs>::Row> rows;
  Recorded solver(ManifoldLbfgs(setting.problem), rows, [&](MatIn z) { return setting.data.error(z); });
  const ManifoldOptimum found = minimize(solver, setting.start(), {.max_steps = 4});
  ASSERT_EQ(rows.size(), 5U);
  EXPECT_EQ(found.stop, ManifoldStop::iteration_limit);
  EXPECT_EQ(to_string(found.stop), "iteration_limit");
  EXPECT_EQ(rows[3].progress.steps, 3);
  EXPECT_LT(rows[4].error, rows[0].error);
  EXPECT_LT(rows[4].progress.value, rows[0].progress.value);
}

TEST(StochasticSolvers, OnTheSphereAllocateNothing) {
  EigenSetting setting(0.1, 10, 50);
  const auto allocations = [&](auto solver) {
    auto state = solver.init(setting.start());
    solver.step(state);
    const long before = test::allocation_count;
    solver.step(state);
    return test::allocation_count - before;
  };
  EXPECT_EQ(allocations(ManifoldSvrg(setting.problem, {.batches = {.batch_size = 5}}, Rng(22))), 0);
  EXPECT_EQ(allocations(ManifoldSgd(setting.problem, {.batch_size = 5}, Rng(22))), 0);
  EXPECT_EQ(allocations(VrPca(setting.problem, {}, Rng(22))), 0);
  EXPECT_EQ(allocations(ManifoldSvLbfgs(setting.problem, {.step_size = 0.05, .batches = {.batch_size = 5}}, Rng(22))),
            0);
  EXPECT_EQ(allocations(ManifoldLbfgs(setting.problem)), 0);
  EXPECT_EQ(allocations(ManifoldConjugateGradient(setting.problem)), 0);
  EXPECT_EQ(allocations(ManifoldTrustRegion(setting.problem)), 0);
}

TEST(Solvers, SayWhyTheyStop) {
  const auto uphill = make_problem(sphere(3), {[](MatIn x) { return x(0, 0); },
                                               [](MatIn, MatOut g) {
                                                 g = Vec{{-1, 0, 0}};
                                               },
                                               nullptr});
  const ManifoldOptimum stuck = minimize(ManifoldDescent(*uphill), Vec{{0, 1, 0}});
  EXPECT_EQ(stuck.stop, ManifoldStop::no_decrease);
  const auto nowhere =
      make_problem(spd(2), {[](MatIn x) { return x(0, 0); },
                            [](MatIn, MatOut g) { g.setConstant(std::numeric_limits<double>::quiet_NaN()); }, nullptr});
  EXPECT_EQ(minimize(ManifoldDescent(*nowhere), Mat::Identity(2, 2)).stop, ManifoldStop::not_finite);
  KarcherSetting setting(10);
  EXPECT_THROW(minimize(ManifoldLbfgs(setting.problem), Mat::Zero(5, 5)), DataError);
  EXPECT_THROW(ManifoldSvrg(setting.problem, {.batches = {.batch_size = 61}}, Rng(1)), UsageError);
}

// (angle - target)^2 / 2 on the unit circle: from the angle 0 conjugate gradients go by the secant to `target`, and
// L-BFGS to 1 first and then to `target`.
struct CircleCost final : ManifoldProblem {
  explicit CircleCost(double to) : target(to) {}
  const Manifold& manifold() const override { return *circle; }
  double value(MatIn x) override { return 0.5 * left(x) * left(x); }
  double gradient(MatIn x, MatOut gradient) override {
    gradient = left(x) * Vec{{-x(1, 0), x(0, 0)}};
    return value(x);
  }
  double left(MatIn x) const {
    const double angle = std::atan2(x(1, 0), x(0, 0));
    return (angle < -0.1 ? angle + 2 * std::numbers::pi : angle) - target;
  }
  double target;
  ManifoldPtr circle = sphere(2);
};

TEST(Solvers, GoOnFromTheOtherEndOfAGeodesic) {
  const double pi = std::numbers::pi;
  const auto arrives = [](CircleCost cost, auto solver_of) {
    const ManifoldOptimum found = minimize(solver_of(cost), Vec{{1, 0}});
    EXPECT_EQ(found.stop, ManifoldStop::converged);
    EXPECT_NEAR(cost.left(found.x), 0, 1e-8);
  };
  arrives(CircleCost(pi), [](CircleCost& cost) { return ManifoldConjugateGradient(cost, Moves::geodesic); });
  arrives(CircleCost(1 + pi), [](CircleCost& cost) { return ManifoldLbfgs(cost); });
}

TEST(Solvers, HalveStepsThatLeaveTheManifold) {
  KarcherSetting setting(10);
  ManifoldSvrg solver(setting.problem, {.step_size = 1e4, .batches = karcher_batches}, Rng(25));
  auto state = solver.init(setting.start());
  solver.take_snapshot(state);
  EXPECT_EQ(solver.inner_step(state), StepOutcome::moved);
  EXPECT_GT(state.progress.halvings, 0);
  EXPECT_EQ(setting.problem.manifold().fault(state.x), "");
}

// A cost in other units.
struct ScaledCost final : ManifoldProblem {
  ScaledCost(ManifoldProblem& of, double by) : cost(&of), factor(by) {}
  const Manifold& manifold() const override { return cost->manifold(); }
  double value(MatIn x) override { return factor * cost->value(x); }
  double gradient(MatIn x, MatOut gradient) override {
    const double unscaled = cost->gradient(x, gradient);
    gradient *= factor;
    return factor * unscaled;
  }
  void hessian(MatIn x, MatIn u, MatOut out) override {
    cost->hessian(x, u, out);
    out *= factor;
  }
  ManifoldProblem* cost;
  double factor;
};

// A power of 2 changes no rounding.
TEST(Solvers, GoTheSameWayInOtherUnitsOfTheCost) {
  const auto problem = spread_eigenvalues();
  const Mat start = Vec::Constant(30, 1 / std::sqrt(30.0));
  const StopRules rules{.gradient_norm = 0, .max_steps = 25};
  std::vector<Mat> ends;
  with_each_solver(*problem, [&](const char*, auto solver) { ends.push_back(minimize(solver, start, rules).x); });
  for (const double factor : {std::exp2(-60), std::exp2(60)}) {
    ScaledCost scaled(*problem, factor);
    std::size_t k = 0;
    with_each_solver(scaled, [&](const char* name, auto solver) {
      EXPECT_EQ(minimize(solver, start, rules).x, ends[k++]) << name << ", " << factor;
    });
  }
}

TEST(TryStep, RefusesPointsBesideTheManifold) {
  const auto flat =
      make_problem(hyperbolic(2), {[](MatIn) { return 1; }, [](MatIn, MatOut g) { g.setZero(); }, nullptr});
  Stream stream = Rng(27).stream("step");
  DescentState state = start_descent(*flat, flat->manifold().random_point(stream));
  state.step = flat->manifold().random_tangent(state.x, stream);
  const Moves moves(flat->manifold(), Moves::geodesic);
  EXPECT_TRUE(try_step(*flat, moves, state));
  state.step *= 1000;  // whose hyperbolic cosine overflows
  EXPECT_FALSE(try_step(*flat, moves, state));
  EXPECT_EQ(state.progress.halvings, 1);
  EXPECT_EQ(state.progress.passes, 2);
}

// c + 5 sum sin(Kx) has many minima, where slopes at two points far apart say little of the costs there.
TEST(Solvers, GoDownWhateverConstantIsInTheCost) {
  for (int k = 0; k < 10; ++k) {
    Stream stream = Rng(30).child("wave", static_cast<std::uint64_t>(k)).stream("wave");
    const Mat waves = 6 * euclidean(30, 6)->random_point(stream), start = euclidean(6)->random_point(stream);
    for (const double constant : {0.0, 1e7, 1e9, 1e10}) {
      const auto problem = make_problem(
          euclidean(6),
          {[&](MatIn x) { return constant + 5 * (waves * x).array().sin().sum(); },
           [&](MatIn x, MatOut g) { g = 5 * waves.transpose() * (waves * x).array().cos().matrix(); }, nullptr});
      with_each_solver(*problem, [&](const char* name, auto solver) {
        const ManifoldOptimum found = minimize(solver, start, {.gradient_norm = 1e-3, .max_steps = 3000});
        EXPECT_EQ(found.stop, ManifoldStop::converged)
            << name << ", constant " << constant << ", gradient " << found.progress.gradient_norm;
        EXPECT_LT(found.progress.value, problem->value(start)) << name << ", constant " << constant;
      });
    }
  }
}

// x - log(x) / 10, which is refused as a matrix without Cholesky factorization is: the first step leads there.
struct HalfLine final : ManifoldProblem {
  const Manifold& manifold() const override { return *line; }
  double value(MatIn x) override {
    if (!(x(0, 0) > 0)) throw DataError("not positive definite");
    return x(0, 0) - 0.1 * std::log(x(0, 0));
  }
  double gradient(MatIn x, MatOut gradient) override {
    gradient(0, 0) = 1 - 0.1 / x(0, 0);
    return value(x);
  }
  ManifoldPtr line = euclidean(1);
};

TEST(Solvers, ShortenAndCountStepsToPointsWithoutACost) {
  HalfLine problem;
  const auto arrives = [&](auto solver) {
    const ManifoldOptimum found = minimize(solver, Mat::Constant(1, 1, 0.3));
    EXPECT_EQ(found.stop, ManifoldStop::converged);
    EXPECT_NEAR(found.x(0, 0), 0.1, 1e-8);
    EXPECT_GT(found.progress.halvings, 0);
  };
  arrives(ManifoldDescent(problem));
  arrives(ManifoldConjugateGradient(problem));
  arrives(ManifoldLbfgs(problem));
}

}  // namespace
}  // namespace quasar
