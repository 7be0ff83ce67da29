// The inverse Hessian of all pairs at once: secant equations, what does not change it, and the steps it makes.
#include "solvers/manifold/pair_block.hpp"

#include <Eigen/Eigenvalues>
#include <Eigen/LU>
#include <Eigen/QR>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include <quasar/errors.hpp>
#include <quasar/manifolds.hpp>

#include "solvers/manifold/minimize.hpp"
#include "solvers/manifold/sv_lbfgs.hpp"
#include "solvers/manifold/svrg.hpp"
#include "support/allocations.hpp"
#include "support/error_message.hpp"
#include "support/manifold_problems.hpp"

namespace quasar {
namespace {

using test::EigenData;
using test::error_message;

constexpr double any_curvature = -std::numeric_limits<double>::infinity();

// Columns of z and y, oldest first.
TangentPairs pairs_of(const Manifold& m, const Mat& x, const Mat& z, const Mat& y) {
  TangentPairs pairs(m, z.cols());
  for (Index i = 0; i < z.cols(); ++i) pairs.add(x, z.col(i), y.col(i), any_curvature);
  return pairs;
}

Mat inverse_hessian(const Manifold& m, const TangentPairs& pairs, const Mat& x, double least = 1e-8) {
  PairBlock block(m, std::max<Index>(1, pairs.pairs()));
  block.learn(pairs, x, least);
  Mat h(x.rows(), x.rows());
  for (Index i = 0; i < x.rows(); ++i) {
    Mat column = x;
    block.apply(x, Mat(Mat::Identity(x.rows(), x.rows()).col(i)), column);
    h.col(i) = column;
  }
  return h;
}

struct Quadratic {
  ManifoldPtr space = euclidean(7);
  Mat origin = Mat::Zero(7, 1), hessian, z, y;
  explicit Quadratic(Index pairs, Vec values = Vec::LinSpaced(7, 1, 4)) {
    Stream stream = Rng(1).stream("quadratic");
    const Mat q = rotations(7)->random_point(stream);
    hessian = q * values.asDiagonal() * q.transpose();
    z = euclidean(7, pairs)->random_point(stream);
    z.col(0) = q.col(6);  // whose curvature is the largest
    y = hessian * z;
  }
  Mat inverse(const Mat& some_z, const Mat& some_y) const {
    return inverse_hessian(*space, pairs_of(*space, origin, some_z, some_y), origin);
  }
};

TEST(PairBlock, KeepsTheSecantEquationsOfAllPairs) {
  for (const Index count : {1, 3, 7}) {
    const Quadratic q(count);
    const Mat h = q.inverse(q.z, q.y);
    EXPECT_LT((h * q.y - q.z).norm(), 1e-12) << count;
    const Mat s = q.z.transpose() * q.y, p = Mat::Identity(7, 7) - q.y * s.inverse() * q.z.transpose();
    EXPECT_LT((h - q.z * s.inverse() * q.z.transpose() - p.transpose() * p / 4).norm(), 1e-12) << count;
  }
  const Quadratic all(7);
  EXPECT_LT((all.inverse(all.z, all.y) * all.hessian - Mat::Identity(7, 7)).norm(), 1e-11);
}

TEST(PairBlock, IsTheSameForAnyPairsOfTheSameSpace) {
  const Quadratic q(4);
  Stream stream = Rng(2).stream("combinations");
  Mat combine = euclidean(4, 4)->random_point(stream);
  combine.col(2) = 5 * Mat::Identity(4, 4).col(0);  // one is the first pair, and tells of the largest curvature again
  EXPECT_LT((q.inverse(q.z * combine, q.y * combine) - q.inverse(q.z, q.y)).norm(), 1e-11);
}

TEST(PairBlock, OfTangentVectorsKeepsTheEquationsInTheirMetric) {
  Stream stream = Rng(3).stream("spd");
  const ManifoldPtr m = spd(3);
  const Mat x = m->random_point(stream), congruence = euclidean(3, 3)->random_point(stream);
  TangentPairs pairs(*m, 3);
  std::vector<Mat> z, y;
  for (int i = 0; i < 3; ++i) {
    z.push_back(m->random_tangent(x, stream));
    // A symmetric positive operator in the metric tr(X^-1 U X^-1 V): 2 U + G X^-1 U X^-1 G with G symmetric.
    const Mat g = congruence * congruence.transpose(), inverse = x.inverse();
    y.push_back(2 * z.back() + g * inverse * z.back() * inverse * g);
    EXPECT_TRUE(pairs.add(x, z.back(), y.back(), any_curvature));
  }
  PairBlock block(*m, 3);
  block.learn(pairs, x, 1e-8);
  for (std::size_t i = 0; i < 3; ++i) {
    Mat h_y = x;
    block.apply(x, y[i], h_y);
    EXPECT_LT(m->norm(x, h_y - z[i]), 1e-11);
  }
}

// The Hessian of each pair is another one: H keeps the newest equation, is symmetric and not negative.
TEST(PairBlock, BelievesTheNewestPair) {
  Quadratic q(4);
  Stream stream = Rng(4).stream("changes");
  for (Index i = 0; i < 4; ++i) {
    const Mat change = euclidean(7, 7)->random_point(stream);
    q.y.col(i) += 0.05 * (change + change.transpose()) * q.z.col(i);
  }
  const Mat h = q.inverse(q.z, q.y);
  EXPECT_LT((h * q.y.col(3) - q.z.col(3)).norm(), 1e-12);
  EXPECT_GT((h * q.y.col(2) - q.z.col(2)).norm(), 1e-3);
  EXPECT_LT((h - h.transpose()).norm(), 1e-12);
  EXPECT_GT(Eigen::SelfAdjointEigenSolver<Mat>(h).eigenvalues().minCoeff(), 0);

  // Z = Q R with the newest first, and the lower triangle of S = Q'Y R^-1, whose columns are the newer ones.
  const Mat newest_first = q.z.rowwise().reverse(), y_newest_first = q.y.rowwise().reverse();
  const Mat r = Eigen::HouseholderQR<Mat>(newest_first).matrixQR().topRows(4).triangularView<Eigen::Upper>();
  const Mat basis = newest_first * r.inverse(), y = y_newest_first * r.inverse(), uneven = basis.transpose() * y;
  const Mat s = uneven.selfadjointView<Eigen::Lower>(), even_y = y + basis * (s - uneven);
  const Mat p = Mat::Identity(7, 7) - even_y * s.inverse() * basis.transpose();
  const double b = 1 / std::max((q.y.colwise().norm().array() / q.z.colwise().norm().array()).maxCoeff(),
                                Eigen::SelfAdjointEigenSolver<Mat>(s).eigenvalues().maxCoeff());
  EXPECT_LT((h - basis * s.inverse() * basis.transpose() - b * p.transpose() * p).norm(), 1e-12);
}

TEST(PairBlock, StepsAwayFromASaddle) {
  const ManifoldPtr plane = euclidean(3);
  const Mat origin = Mat::Zero(3, 1), z{{1, 1}, {-1, 1}, {0, 0}};
  const Mat hessian = Vec{{2, -0.5, 9}}.asDiagonal(), expected = Vec{{0.5, 2, 0.5}}.asDiagonal();
  EXPECT_LT((inverse_hessian(*plane, pairs_of(*plane, origin, z, hessian * z), origin) - expected).norm(), 1e-13);
}

TEST(PairBlock, LeavesToTheGradientWhatPairsDoNotTell) {
  const ManifoldPtr plane = euclidean(2);
  const Mat origin = Mat::Zero(2, 1), one = Mat::Identity(2, 2);
  const Mat flat = Vec{{4, 1e-10}}.asDiagonal(), quarter = 0.25 * one;
  EXPECT_LT((inverse_hessian(*plane, pairs_of(*plane, origin, one, flat), origin) - quarter).norm(), 1e-14);
  const Mat in_other_units = inverse_hessian(*plane, pairs_of(*plane, origin, one, 1e-6 * flat), origin, 0);
  EXPECT_LT((1e-6 * in_other_units - quarter).norm(), 1e-14);
  // No curvature at all, but y is as long as 3 z.
  const Mat x{{1}, {0}}, y{{0}, {3}};
  EXPECT_LT((inverse_hessian(*plane, pairs_of(*plane, origin, x, y), origin) - one / 3).norm(), 1e-14);
  EXPECT_EQ(inverse_hessian(*plane, TangentPairs(*plane, 2), origin), one);
}

TEST(PairBlock, IgnoresAnOlderPairThatSaysNothingNew) {
  const Quadratic q(3);
  Mat z(7, 4), y(7, 4);
  z << q.z.col(0) + 2 * q.z.col(1), q.z;
  y << -q.y.col(0), q.y;  // wrong
  EXPECT_LT((q.inverse(z, y) - q.inverse(q.z, q.y)).norm(), 1e-12);
}

ManifoldSvLbfgs::Params together(const ManifoldSvLbfgs::Params& like) {
  ManifoldSvLbfgs::Params params = like;
  params.pairs = ManifoldSvLbfgs::snapshots;
  params.update = ManifoldSvLbfgs::together;
  params.step_size = 1;
  return params;
}

TEST(SnapshotsTogether, EndAfterAsManyStepsAsThereAreCurvatures) {
  for (const double largest : {10.0, 1e3}) {
    test::QuadraticCost cost(Vec{{1, 1, 1, 3, 3, 3, largest, largest}});
    const auto norm_after = [&](int steps, ManifoldSvLbfgs::Params params) {
      params.batches = {.batch_size = 1, .inner_steps = 1};
      ManifoldSvLbfgs solver(cost, params, Rng(5));
      auto state = solver.init(Vec{{1, -2, 1, 3, 1, -1, 2, 1}});
      for (int k = 0; k < steps; ++k) EXPECT_EQ(solver.step(state), StepOutcome::moved);
      return state.x.norm();
    };
    const ManifoldSvLbfgs::Params params = together({.first_step = 0.5 / largest, .memory = 5});
    EXPECT_LT(norm_after(4, params), 1e-9) << largest;  // three pairs, and the step that knows them
    EXPECT_GT(norm_after(3, params), 1e-3) << largest;
    ManifoldSvLbfgs::Params one_by_one = params;
    one_by_one.update = ManifoldSvLbfgs::one_by_one;
    EXPECT_GT(norm_after(4, one_by_one), 1e-3) << largest;
  }
}

struct RandomStart {
  EigenData data;
  LeadingEigenvector problem;
  Mat start;
  explicit RandomStart(double gap) : data(50, 2000, gap, Rng(6)), problem(data.data) {
    Stream stream = Rng(6).stream("start");
    start = problem.manifold().random_point(stream);
  }
  template <class Solver>
  double passes(Solver solver, double most) {
    const StopRules rules{.max_passes = most, .error = [&](MatIn z) { return data.error(z); }, .least_error = 1e-12};
    const ManifoldOptimum found = minimize(solver, start, rules);
    return found.stop == ManifoldStop::converged ? found.progress.passes : std::numeric_limits<double>::infinity();
  }
};

// Loops of rSVRG leave the leading space of six vectors to find, which needs as many passes for any gap.
TEST(SnapshotsTogether, FindTheLeadingEigenvectorForAnyGap) {
  for (const double gap : {0.1, 0.01, 0.002}) {
    RandomStart setting(gap);
    const ManifoldSvLbfgs::Params params = together({.first_step = 0.1,
                                                     .memory = 10,
                                                     .gradient_loops = 1,
                                                     .gradient_steps = 30,
                                                     .longest_step = 0.5,
                                                     .batches = {.batch_size = 20, .inner_steps = 1}});
    EXPECT_LE(setting.passes(ManifoldSvLbfgs(setting.problem, params, Rng(7)), 60), 24) << gap;
    if (gap > 0.05) continue;
    ManifoldSvLbfgs::Params newest = params;
    newest.update = ManifoldSvLbfgs::one_by_one;
    EXPECT_GT(setting.passes(ManifoldSvLbfgs(setting.problem, newest, Rng(7)), 60), 30) << gap;
  }
}

TEST(SnapshotsTogether, BeginWithLoopsOfSvrg) {
  RandomStart setting(0.1);
  const ManifoldSvrg svrg(setting.problem, {.step_size = 0.1, .batches = {.batch_size = 20, .inner_steps = 9}}, Rng(8));
  ManifoldSvLbfgs::Params params = together(
      {.first_step = 0.1, .gradient_loops = 2, .gradient_steps = 9, .batches = {.batch_size = 20, .inner_steps = 1}});
  for (const auto pairs : {ManifoldSvLbfgs::snapshots, ManifoldSvLbfgs::displacement}) {
    params.pairs = pairs;
    if (pairs != ManifoldSvLbfgs::snapshots) params.update = ManifoldSvLbfgs::one_by_one;
    ManifoldSvLbfgs solver(setting.problem, params, Rng(8));
    ManifoldSvrg reference = svrg;
    auto state = solver.init(setting.start);
    auto expected = reference.init(setting.start);
    for (int k = 0; k < 2; ++k) {
      solver.step(state);
      reference.step(expected);
      EXPECT_EQ(state.x, expected.x);
    }
    EXPECT_EQ(state.pairs.pairs(), 0);
    for (int k = 0; k < 3; ++k) solver.step(state);
    EXPECT_EQ(state.pairs.pairs(), 2);
    EXPECT_NEAR(state.progress.passes, 2 * (1 + 9 * 0.01) + 3 * (1 + 0.01), 1e-12);
  }
  params.gradient_steps = 0;  // as many as batches
  ManifoldSvLbfgs whole(setting.problem, params, Rng(8));
  auto state = whole.init(setting.start);
  whole.step(state);
  EXPECT_EQ(state.progress.passes, 2);
}

TEST(SnapshotsTogether, GoNoFurtherThanAllowed) {
  RandomStart setting(0.1);
  ManifoldSvLbfgs solver(
      setting.problem,
      together(
          {.first_step = 0.2, .memory = 10, .longest_step = 0.05, .batches = {.batch_size = 20, .inner_steps = 1}}),
      Rng(9));
  auto state = solver.init(setting.start);
  solver.step(state);
  EXPECT_GT(state.step.norm(), 0);
  int shortened = 0;
  for (int k = 0; k < 10; ++k) {
    solver.step(state);
    EXPECT_LE(state.step.norm(), 0.05 * (1 + 1e-14));
    if (state.step.norm() > 0.05 * (1 - 1e-14)) ++shortened;
  }
  EXPECT_GT(shortened, 3);
}

TEST(SnapshotsTogether, AllocateNothing) {
  RandomStart setting(0.1);
  ManifoldSvLbfgs solver(
      setting.problem,
      together({.first_step = 0.1, .memory = 3, .longest_step = 0.1, .batches = {.batch_size = 20, .inner_steps = 2}}),
      Rng(10));
  auto state = solver.init(setting.start);
  for (int k = 0; k < 5; ++k) solver.step(state);
  ASSERT_EQ(state.pairs.pairs(), 3);
  const long before = test::allocation_count;
  solver.step(state);
  EXPECT_EQ(test::allocation_count - before, 0);
}

TEST(SnapshotsTogether, RefuseWhatCannotBe) {
  RandomStart setting(0.1);
  const auto message = [&](const ManifoldSvLbfgs::Params& params) {
    return error_message<UsageError>([&] { ManifoldSvLbfgs(setting.problem, params, Rng(1)); });
  };
  EXPECT_EQ(message({.update = ManifoldSvLbfgs::together}),
            "update: pairs of minibatches have noise and are taken one by one; pairs of snapshots have none");
  EXPECT_EQ(message({.longest_step = 0}), "longest_step: needs a length above 0");
  EXPECT_EQ(message({.longest_step = std::numeric_limits<double>::quiet_NaN()}),
            "longest_step: needs a length above 0");
  EXPECT_EQ(message({.gradient_loops = -1}), "gradient_loops: needs at least 0");
  EXPECT_EQ(message({.gradient_steps = -1}), "gradient_steps: needs at least 0");
  EXPECT_EQ(message({.memory = -1}), "memory: needs at least 0");
}

}  // namespace
}  // namespace quasar
