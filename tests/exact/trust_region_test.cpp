// Trust regions, and the Hessians that they ask for where only differences of gradients give them.
#include "solvers/manifold/trust_region.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include <quasar/errors.hpp>
#include <quasar/manifolds.hpp>

#include "solvers/manifold/decorators.hpp"
#include "solvers/manifold/minimize.hpp"
#include "support/manifold_problems.hpp"
#include "support/manifold_solvers.hpp"

namespace quasar {
namespace {

using test::EigenData;
using test::spread_eigenvalues;

TEST(TrustRegion, ConvergesFasterThanLinearly) {
  const EigenData d(30, 200, 0.05, Rng(7));
  LeadingEigenvector problem(d.data);
  std::vector<Recorded<ManifoldTrustRegion>::Row> rows;
  Recorded solver(ManifoldTrustRegion(problem), rows, [&](MatIn z) { return d.error(z); });
  const ManifoldOptimum found = minimize(solver, d.start(1e-2, Rng(7)), {.gradient_norm = 1e-12});
  EXPECT_EQ(found.stop, ManifoldStop::converged);
  EXPECT_LE(found.progress.steps, 12);
  const double last = rows.back().progress.gradient_norm, before = rows[rows.size() - 2].progress.gradient_norm;
  EXPECT_LT(last, 0.01 * before);
}

TEST(TrustRegion, StaysInTheBallAndReachesItsEdge) {
  const auto problem = spread_eigenvalues();
  ManifoldTrustRegion solver(*problem, {.largest_radius = 0.3});
  auto state = solver.init(Vec::Constant(30, 1 / std::sqrt(30.0)));
  int at_edge_after_many = 0;
  for (int k = 0; k < 30; ++k) {
    const std::int64_t hessians = state.hessians;
    const double radius = state.radius;
    solver.step(state);
    EXPECT_LE(state.step.norm(), radius * (1 + 1e-10));
    if (state.hessians - hessians > 2 && state.step.norm() > radius * (1 - 1e-10)) ++at_edge_after_many;
  }
  EXPECT_GT(at_edge_after_many, 0);
}

// Of a quadratic cost on a flat space the model is the cost.
TEST(TrustRegion, TrustsAModelThatIsRight) {
  const Vec values{{1, 2, 5}};
  const auto problem =
      make_problem(euclidean(3), {[&](MatIn x) { return 0.5 * x.col(0).dot(values.cwiseProduct(x.col(0))); },
                                  [&](MatIn x, MatOut g) { g = values.cwiseProduct(x.col(0)); },
                                  [&](MatIn, MatIn u, MatOut h) { h = values.cwiseProduct(u.col(0)); }});
  ManifoldTrustRegion solver(*problem);
  auto state = solver.init(Vec::Constant(3, 4));
  const double first = state.radius;
  for (const double times : {2, 4, 8}) {
    solver.step(state);
    EXPECT_EQ(state.radius, times * first);
  }
  EXPECT_EQ(state.refused, 0);
}

// Without second derivatives too, whose differences have to be long where the point is far away.
TEST(TrustRegion, WalksFarInAFlatSpace) {
  const Vec target{{5000, -3000}};
  const auto problem = make_problem(euclidean(2), {[&](MatIn x) { return 0.5 * (x - target).squaredNorm(); },
                                                   [&](MatIn x, MatOut g) { g = x - target; }, nullptr});
  const ManifoldOptimum found = minimize(ManifoldTrustRegion(*problem), Vec::Zero(2));
  EXPECT_EQ(found.stop, ManifoldStop::converged);
  EXPECT_LT((found.x - target).norm(), 1e-8);
  EXPECT_LE(found.progress.steps, 20);
}

TEST(HessianByDifferences, IsRightFarAway) {
  const auto problem = make_problem(
      euclidean(2), {[](MatIn x) { return 0.5 * x.squaredNorm(); }, [](MatIn x, MatOut g) { g = x; }, nullptr});
  const Mat u = Vec{{0.6, 0.8}};
  Mat along_u = u;
  for (const double away : {1.0, 1e3, 1e6}) {
    problem->hessian(Vec{{5 * away, -3 * away}}, u, along_u);
    EXPECT_LT((along_u - u).norm(), 1e-7 * std::sqrt(away)) << away;
  }
}

// x^4 / 4 where x <= 1: the cost ends there as one does where a matrix has no Cholesky factor.
struct EndingCost final : ManifoldProblem {
  const Manifold& manifold() const override { return *line; }
  double value(MatIn x) override {
    if (x(0, 0) > 1) throw DataError("not positive definite");
    return 0.25 * std::pow(x(0, 0), 4);
  }
  double gradient(MatIn x, MatOut gradient) override {
    gradient(0, 0) = std::pow(x(0, 0), 3);
    return value(x);
  }
  ManifoldPtr line = euclidean(1);
};

TEST(HessianByDifferences, IsThatOfTheOtherSideWhereTheCostEnds) {
  EndingCost problem;
  const Mat at_end = Mat::Ones(1, 1);
  Mat found = at_end;
  for (const double along : {1, -1}) {
    problem.hessian(at_end, along * at_end, found);
    EXPECT_NEAR(found(0, 0), 3 * along, 1e-6);
  }
}

// -tr X'AX over frames and subspaces, whose Hessians have parts out of the tangent space that have to be taken off.
AmbientCost sum_of_variances(const Mat& a, bool with_second) {
  AmbientCost cost{[a](MatIn x) { return -0.5 * x.cwiseProduct(a * x).sum(); }, [a](MatIn x, MatOut g) { g = -a * x; },
                   nullptr};
  if (with_second) {
    cost.second = [a](MatIn, MatIn u, MatOut h) { h = -a * u; };
  }
  return cost;
}

TEST(HessianByDifferences, IsTangent) {
  Stream stream = Rng(31).stream("data");
  const Mat data = euclidean(30, 200)->random_point(stream), a = data * data.transpose() / 200;
  for (const ManifoldPtr& manifold : {grassmann(30, 3), stiefel(30, 3)}) {
    const auto problem = make_problem(manifold, sum_of_variances(a, false));
    const Mat x = manifold->random_point(stream), u = manifold->random_tangent(x, stream);
    Mat along_u = u;
    problem->hessian(x, u, along_u);
    EXPECT_LT((manifold->project(x, along_u) - along_u).norm(), 1e-14 * along_u.norm());
  }
}

TEST(TrustRegion, StaysOnTheManifoldToTheLastDigit) {
  Stream stream = Rng(29).stream("data");
  const Mat data = euclidean(30, 200)->random_point(stream), a = data * data.transpose() / 200;
  // Frames of the same subspace cost the same: rounding alone chooses among them.
  for (const auto& [manifold, shortest] : {std::pair{grassmann(30, 3), 1e-12}, {stiefel(30, 3), 1e-7}}) {
    for (const bool given : {false, true}) {
      const auto problem = make_problem(manifold, sum_of_variances(a, given));
      for (int k = 0; k < 10; ++k) {
        const Mat start = manifold->random_point(stream);
        for (const double tolerance : {1e-8, 0.0}) {
          const ManifoldOptimum found =
              minimize(ManifoldTrustRegion(*problem), start, {.gradient_norm = tolerance, .max_steps = 200});
          EXPECT_EQ(found.stop, tolerance > 0 ? ManifoldStop::converged : ManifoldStop::no_decrease);
          EXPECT_LT((found.x.transpose() * found.x - Mat::Identity(3, 3)).norm(), 1e-13);
          EXPECT_LT(found.progress.gradient_norm, std::max(tolerance, shortest));
          EXPECT_EQ(found.progress.halvings, 0);
          EXPECT_LE(found.progress.steps, tolerance > 0 ? 40 : 200);
        }
      }
    }
  }
}

}  // namespace
}  // namespace quasar
