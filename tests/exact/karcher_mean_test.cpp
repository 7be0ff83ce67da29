// Means of positive definite matrices: their oracles, the solvers that find them, and what has none.
#include "manifolds/problems/karcher_mean.hpp"

#include <Eigen/Eigenvalues>
#include <Eigen/LU>
#include <gtest/gtest.h>

#include <cmath>
#include <span>
#include <vector>

#include <quasar/check_manifold.hpp>
#include <quasar/errors.hpp>
#include <quasar/manifolds.hpp>

#include "solvers/manifold/lbfgs.hpp"
#include "solvers/manifold/minimize.hpp"
#include "support/error_message.hpp"
#include "support/manifold_problems.hpp"
#include "support/manifold_solvers.hpp"

namespace quasar {
namespace {

using test::error_message;
using test::expect_minimum;
using test::with_each_solver;

Mat sqrt_of(const Mat& a) { return Eigen::SelfAdjointEigenSolver<Mat>(a).operatorSqrt(); }

const Mat matrix_a{{2, 1}, {1, 3}}, matrix_b{{4, -1}, {-1, 1}};

TEST(KarcherMeanOfTwo, IsTheGeometricMean) {
  KarcherMean problem({matrix_a, matrix_b});
  const Mat printed{{2.54636075, -0.10343092}, {-0.10343092, 1.52518896}};
  const Mat root = sqrt_of(matrix_a), mean = root * sqrt_of(root.inverse() * matrix_b * root.inverse()) * root;
  const double a = std::sqrt(matrix_a.determinant()), b = std::sqrt(matrix_b.determinant());
  const Mat sum = matrix_a / a + matrix_b / b;
  EXPECT_LT((mean - printed).norm(), 2e-8);
  EXPECT_LT((mean - std::sqrt(a * b) * sum / std::sqrt(sum.determinant())).norm(), 1e-14);
  EXPECT_LT((mean * matrix_a.inverse() * mean - matrix_b).norm(), 1e-13);
  const Manifold& m = problem.manifold();
  EXPECT_LT((m.log(mean, matrix_a) + m.log(mean, matrix_b)).norm(), 1e-13);
  expect_minimum(problem, matrix_a, mean, 1e-8);
}

TEST(KarcherMean, OfCommutingMatricesIsTakenEntryByEntry) {
  const auto diagonal = [](double first, double second) -> Mat { return Vec{{first, second}}.asDiagonal(); };
  KarcherMean problem({diagonal(1, 4), diagonal(4, 9), diagonal(2, 6)});
  expect_minimum(problem, matrix_a, diagonal(2, 6), 1e-8);
}

TEST(KarcherMean, FollowsCongruencesAndInversesAndKeepsTheMeanDeterminant) {
  const std::vector<Mat> matrices = test::random_spds(4, 7, 50, Rng(1));
  Stream stream = Rng(1).stream("congruence");
  const Mat c = euclidean(4, 4)->random_point(stream);
  std::vector<Mat> congruent, inverse;
  double log_determinant = 0;
  for (const Mat& w : matrices) {
    const Mat moved = c * w * c.transpose(), inverted = w.inverse();
    congruent.push_back(0.5 * (moved + moved.transpose()));
    inverse.push_back(0.5 * (inverted + inverted.transpose()));
    log_determinant += std::log(w.determinant()) / static_cast<double>(matrices.size());
  }
  const auto mean_of = [](const std::vector<Mat>& all) {
    KarcherMean problem(all);
    return minimize(ManifoldLbfgs(problem), all.front(), {.gradient_norm = 1e-11}).x;
  };
  const Mat mean = mean_of(matrices);
  EXPECT_LT((mean_of(congruent) - c * mean * c.transpose()).norm(), 1e-9 * mean.norm());
  EXPECT_LT((mean_of(inverse) - mean.inverse()).norm(), 1e-10);
  EXPECT_NEAR(std::log(mean.determinant()), log_determinant, 1e-10);
}

TEST(KarcherMean, HasTheGradientOfItsCost) {
  KarcherMean problem(test::random_spds(4, 5, 30, Rng(2)));
  Stream stream = Rng(2).stream("point");
  const Mat x = problem.manifold().random_point(stream), u = problem.manifold().random_tangent(x, stream);
  const SlopeCheck check = check_gradient(problem, x);
  EXPECT_TRUE(check.ok) << check.message;
  Mat all = x, batch = x, sum = Mat::Zero(4, 4);
  EXPECT_NEAR(problem.gradient(x, all), problem.value(x), 1e-12);
  for (const Index i : {0, 1, 2, 3, 4}) {
    problem.mean_gradient(x, std::span(&i, 1), batch);
    EXPECT_LT((batch + 2 * problem.manifold().log(x, problem.matrices()[static_cast<std::size_t>(i)])).norm(), 1e-11);
    sum += batch / 5;
  }
  EXPECT_LT((all - sum).norm(), 1e-11);
}

// 2 <= Hess <= 2 z coth z with z = diameter / sqrt 2: steps of 0.4 divide the error by 5 while Hess <= 3, which holds
// for the smaller condition numbers.
TEST(KarcherMean, ConvergesInAsManySteps) {
  struct Case {
    double condition;
    int most, most_of_lbfgs;
  };
  for (const auto& [condition, most, most_of_lbfgs] : {Case{10, 22, 10}, {100, 22, 12}, {1000, 36, 14}}) {
    KarcherMean problem(test::random_spds(5, 60, condition, Rng(3)));
    const test::Karcher reference = test::karcher_by_fixed_steps(problem);
    EXPECT_LE(reference.iterations, most) << condition;
    const ManifoldOptimum found =
        minimize(ManifoldLbfgs(problem), problem.matrices().front(), {.gradient_norm = 1e-10});
    EXPECT_EQ(found.stop, ManifoldStop::converged);
    EXPECT_LT((found.x - reference.mean).norm(), 1e-9 * reference.mean.norm()) << condition;
    EXPECT_LE(found.progress.steps, most_of_lbfgs) << condition;
  }
}

// The cost has lost half of its digits here, the gradient not.
TEST(KarcherMean, IsFoundForBadlyConditionedMatrices) {
  for (const double condition : {1e4, 1e5, 1e6}) {
    KarcherMean problem(test::random_spds(5, 60, condition, Rng(3)));
    with_each_solver(problem, [&](const char* name, auto solver) {
      const ManifoldOptimum found = minimize(solver, problem.matrices().front(), {.max_passes = 200});
      EXPECT_EQ(found.stop, ManifoldStop::converged)
          << name << ", condition " << condition << ", gradient " << found.progress.gradient_norm << " after "
          << found.progress.passes << " passes";
      const ManifoldOptimum rounding = minimize(solver, problem.matrices().front(), {.gradient_norm = 0});
      EXPECT_EQ(rounding.stop, ManifoldStop::no_decrease) << name << ", condition " << condition;
      EXPECT_LE(rounding.progress.passes, 500) << name << ", condition " << condition;
    });
  }
}

TEST(KarcherMean, HasTheSameBitsForAnyNumberOfThreads) {
  for (const Index n : {1, 2, 17}) {
    Stream stream = Rng(5).stream("threads");
    std::vector<Mat> matrices;
    for (int i = 0; i < 101; ++i) matrices.push_back(spd(n)->random_point(stream));
    const std::vector<Index> batch = {3, 99, 4, 4, 50};
    KarcherMean alone(matrices);
    Mat expected(n, n), expected_batch(n, n), found(n, n);
    const double value = alone.gradient(matrices[7], expected);
    alone.mean_gradient(matrices[7], batch, expected_batch);
    for (const Index threads : {0, 2, 3}) {
      KarcherMean shared(matrices, threads);
      EXPECT_EQ(shared.gradient(matrices[7], found), value);
      EXPECT_EQ(found, expected);
      EXPECT_EQ(shared.value(matrices[7]), alone.value(matrices[7]));
      shared.mean_gradient(matrices[7], batch, found);
      EXPECT_EQ(found, expected_batch);
    }
  }
}

// The caller's thread asks, whoever adds; a search ends where it was.
TEST(KarcherMean, IsLeftWithinAPassWhenTold) {
  for (const Index threads : {1, 2}) {
    int left = 1000;
    KarcherMean problem(test::random_spds(3, 200, 10, Rng(8)), threads, [&] { return --left > 0; });
    const Mat start = problem.matrices().front();
    const ManifoldOptimum found = minimize(ManifoldLbfgs(problem), start, {.gradient_norm = 1e-300});
    EXPECT_EQ(found.stop, ManifoldStop::interrupted);
    EXPECT_EQ(left, 0);
    EXPECT_NE(found.x, start);
    left = 3;
    Mat gradient = start;
    EXPECT_THROW(problem.gradient(start, gradient), StoppedEarly);
    EXPECT_THROW(problem.value(start), StoppedEarly);
  }
}

TEST(KarcherMean, AgreesWithTheSumOfLogarithms) {
  for (const Index n : {1, 2, 5, 15, 16, 17, 64}) {
    Stream stream = Rng(6).stream("sizes");
    const ManifoldPtr manifold = spd(n);
    std::vector<Mat> matrices;
    for (int i = 0; i < 5; ++i) matrices.push_back(manifold->random_point(stream));
    matrices.push_back(Mat::Identity(n, n));  // all of its eigenvalues are the same
    const Mat x = manifold->random_point(stream);
    Mat expected = Mat::Zero(n, n), found(n, n);
    double squares = 0;
    for (const Mat& matrix : matrices) {
      expected -= 2.0 / 6 * manifold->log(x, matrix);
      squares += std::pow(manifold->distance(x, matrix), 2) / 6;
    }
    KarcherMean mean(matrices);
    EXPECT_NEAR(mean.gradient(x, found), squares, 1e-12 * squares);
    EXPECT_NEAR(mean.value(x), squares, 1e-12 * squares);
    EXPECT_LT((found - expected).norm(), 1e-12 * expected.norm()) << n;
  }
}

TEST(KarcherMean, RefusesWhatHasNone) {
  EXPECT_THROW(KarcherMean({}), DataError);
  EXPECT_EQ(error_message<DataError>([] {
              KarcherMean({matrix_a, Mat{{1, 2}, {2, 1}}});
            }),
            "matrix 2 of 2: it is not positive definite: its smallest eigenvalue is -1");
  EXPECT_EQ(error_message<DataError>([] {
              KarcherMean({matrix_a, Mat::Identity(3, 3)});
            }),
            "matrix 2 of 2: it is 3 x 3, not 2 x 2");
}

}  // namespace
}  // namespace quasar
