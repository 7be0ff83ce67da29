// Kernel Stein discrepancy: closed forms of one and two points, the kernel against differences, its law under exact
// and wrong draws, noisy scores, scales and weights.
#include <gtest/gtest.h>

#include <cmath>
#include <stdexcept>
#include <vector>

#include <quasar/diagnostics.hpp>
#include <quasar/rng.hpp>

#include "support/statistics.hpp"
#include "targets/linear_gaussian.hpp"
#include "targets/normal_loggamma.hpp"

namespace quasar {
namespace {

constexpr int assertions = 40;  // upper bound of the statistical assertions of this file
const double limit = test::z_threshold(test::per_assertion(test::family_alpha, assertions));

Mat exact_draws(const ExactLaw& law, Index dim, Index n, const Rng& rng) {
  Mat points(dim, n);
  for (Index i = 0; i < n; ++i) law.draw(rng.at(static_cast<std::uint64_t>(i)), points.col(i));
  return points;
}

Mat scores_of(Target& target, const Mat& points) {
  Mat scores(points.rows(), points.cols());
  for (Index i = 0; i < points.cols(); ++i) target.logp_grad(points.col(i), scores.col(i));
  return scores;
}

Mat normal_matrix(Index rows, Index cols, const Rng& rng) {
  Mat z(rows, cols);
  Stream stream = rng.stream("points");
  for (Index j = 0; j < cols; ++j) stream.normals(z.col(j));
  return z;
}

template <class F>
Eigen::ArrayXd replicates(int count, F f) {
  Eigen::ArrayXd values(count);
  for (int i = 0; i < count; ++i) values[i] = f(Rng(8).child("replicate", static_cast<std::uint64_t>(i)));
  return values;
}

double z_score(const Eigen::ArrayXd& values, double mean) {
  const auto n = static_cast<double>(values.size());
  return (values.mean() - mean) / std::sqrt((values - values.mean()).square().sum() / (n * (n - 1)));
}

// k0 of two points: the only pair of the U-statistic.
double stein_kernel(const Vec& x, const Vec& y, const Vec& sx, const Vec& sy) {
  Mat points(x.size(), 2), scores(x.size(), 2);
  points << x, y;
  scores << sx, sy;
  return kernel_stein_discrepancy(points, scores).u_statistic;
}

TEST(Stein, OnePointByHand) {  // k0(x, x) = |s|^2 + D
  const SteinDiscrepancy one = kernel_stein_discrepancy(Vec{{7.0, -1.0}}, Vec{{2.0, 1.0}});
  EXPECT_NEAR(one.ksd, std::sqrt(5.0 + 2.0), 1e-15);
  EXPECT_TRUE(std::isnan(one.u_statistic));
  EXPECT_TRUE(std::isnan(one.standard_error));
}

// x = 0, y = sqrt 3: q = 4, k = 1/2. s = (1, -2): k0(x, y) = -2/2 + 3 (-sqrt 3)/8 + 1/8 - 9/32.
TEST(Stein, TwoPointsByHand) {
  const double root = std::sqrt(3.0), pair = -1 - 3 * root / 8 + 1.0 / 8 - 9.0 / 32;
  const SteinDiscrepancy two = kernel_stein_discrepancy(Mat{{0.0, root}}, Mat{{1.0, -2.0}});
  EXPECT_NEAR(two.u_statistic, pair, 1e-15);
  EXPECT_NEAR(two.ksd, std::sqrt((2 + 2 * pair + 5) / 4), 1e-15);
  EXPECT_TRUE(std::isnan(two.standard_error));
}

// grad_x k, grad_y k and the mixed second derivatives by central differences of fourth order.
TEST(Stein, KernelIsThatOfTheInverseMultiquadric) {
  const auto k = [](const Vec& x, const Vec& y) { return 1 / std::sqrt(1 + (x - y).squaredNorm()); };
  const auto difference = [](Index dim, Index i, auto f) {
    constexpr double h = 1e-2;
    const Vec e = h * Vec::Unit(dim, i);
    return (8 * (f(e) - f(-e)) - (f(2 * e) - f(-2 * e))) / (12 * h);
  };
  const Vec x{{0.4, -1.1, 0.3}}, y{{-0.2, 0.5, 0.9}}, sx{{1.2, -0.7, 2.0}}, sy{{-0.4, 0.8, 0.1}};
  double expected = sx.dot(sy) * k(x, y);
  for (Index i = 0; i < 3; ++i) {
    const auto by_y = [&](const Vec& at) { return difference(3, i, [&](const Vec& e) { return k(at, y + e); }); };
    expected += sx[i] * by_y(x) + sy[i] * difference(3, i, [&](const Vec& e) { return k(x + e, y); });
    expected += difference(3, i, [&](const Vec& e) { return by_y(x + e); });
  }
  EXPECT_NEAR(stein_kernel(x, y, sx, sy), expected, 1e-7);
}

// 600 points are several blocks; sums of single pairs are the definition.
TEST(Stein, BlocksAddUpPairByPair) {
  const Index n = 600;
  const Mat points = normal_matrix(3, n, Rng(1)), scores = normal_matrix(3, n, Rng(2));
  Vec weights = normal_matrix(n, 1, Rng(3)).col(0).cwiseAbs();
  weights /= weights.sum();
  double different = 0, same = 0;
  for (Index i = 0; i < n; ++i) {
    same += weights[i] * weights[i] * (scores.col(i).squaredNorm() + 3);
    for (Index j = 0; j < i; ++j) {
      different +=
          2 * weights[i] * weights[j] * stein_kernel(points.col(i), points.col(j), scores.col(i), scores.col(j));
    }
  }
  const SteinDiscrepancy all = kernel_stein_discrepancy(points, scores, {.weights = 5 * weights});
  EXPECT_NEAR(all.ksd, std::sqrt(different + same), 1e-13);
  EXPECT_NEAR(all.u_statistic, different / (1 - weights.squaredNorm()), 1e-13);
}

TEST(Stein, TheOrderOfPointsDoesNotMatter) {
  const Mat points = normal_matrix(3, 600, Rng(1)), scores = normal_matrix(3, 600, Rng(2));
  std::vector<Index> order(600);
  Rng(3).stream("order").permutation(order);
  const SteinDiscrepancy a = kernel_stein_discrepancy(points, scores);
  const SteinDiscrepancy b = kernel_stein_discrepancy(points(Eigen::all, order), scores(Eigen::all, order));
  EXPECT_NEAR(b.ksd, a.ksd, 1e-12);
  EXPECT_NEAR(b.u_statistic, a.u_statistic, 1e-12);
  EXPECT_NEAR(b.standard_error, a.standard_error, 1e-12);
}

TEST(Stein, DependsOnDifferencesOfPointsAlone) {
  const Mat points = normal_matrix(3, 50, Rng(1)), scores = normal_matrix(3, 50, Rng(2));
  const Mat moved = points.array() + 1e6;
  EXPECT_NEAR(kernel_stein_discrepancy(moved, scores).ksd, kernel_stein_discrepancy(points, scores).ksd, 1e-8);
}

TEST(Stein, ScalesAreUnitsOfTheCoordinates) {
  const Mat points = normal_matrix(2, 50, Rng(1)), scores = normal_matrix(2, 50, Rng(2));
  const Vec scales{{3.0, 0.2}};
  const Mat scaled_points = scales.asDiagonal() * points;
  const Mat scaled_scores = scales.cwiseInverse().asDiagonal() * scores;
  EXPECT_NEAR(kernel_stein_discrepancy(scaled_points, scaled_scores, {.scales = scales}).ksd,
              kernel_stein_discrepancy(points, scores).ksd, 1e-13);
}

TEST(Stein, AWeightCountsAPointSoManyTimes) {
  const Mat points = normal_matrix(2, 3, Rng(1)), scores = normal_matrix(2, 3, Rng(2));
  const std::vector<Index> repeated{0, 1, 1, 2, 2, 2};
  const SteinDiscrepancy weighted = kernel_stein_discrepancy(points, scores, {.weights = Vec{{1.0, 2.0, 3.0}}});
  EXPECT_NEAR(weighted.ksd, kernel_stein_discrepancy(points(Eigen::all, repeated), scores(Eigen::all, repeated)).ksd,
              1e-14);
}

TEST(Stein, MeanIsZeroUnderExactDraws) {
  NormalLogGamma skewed;
  LinearGaussian normal({normal_matrix(3, 20, Rng(4)), normal_matrix(20, 1, Rng(5)).col(0), 2.0});
  const auto u = [](auto& target, const Rng& rng) {
    const Mat points = exact_draws(target, target.dim(), 40, rng);
    return kernel_stein_discrepancy(points, scores_of(target, points)).u_statistic;
  };
  EXPECT_LT(std::abs(z_score(replicates(2000, [&](const Rng& rng) { return u(skewed, rng); }), 0)), limit);
  EXPECT_LT(std::abs(z_score(replicates(2000, [&](const Rng& rng) { return u(normal, rng); }), 0)), limit);
}

// Under N(0, I): E ksd^2 = E k0(x, x) / n = 2 D / n, so that ksd falls as n^(-1/2).
TEST(Stein, DiscrepancyOfExactDrawsFallsWithTheRootOfTheirNumber) {
  for (const Index n : {10, 40, 160, 640}) {
    const auto squares = replicates(400, [&](const Rng& rng) {
      const Mat points = normal_matrix(3, n, rng);
      return std::pow(kernel_stein_discrepancy(points, -points).ksd, 2);
    });
    EXPECT_LT(std::abs(z_score(static_cast<double>(n) * squares, 6)), limit) << n;
  }
}

TEST(Stein, DetectsAVarianceTenPercentWrong) {
  const auto z_of = [](double variance) {
    return z_score(replicates(300,
                              [&](const Rng& rng) {
                                const Mat points = std::sqrt(variance) * normal_matrix(5, 400, rng);
                                return kernel_stein_discrepancy(points, -points).u_statistic;
                              }),
                   0);
  };
  EXPECT_LT(std::abs(z_of(1)), limit);
  EXPECT_GT(z_of(1.1), limit);
  EXPECT_GT(z_of(0.9), limit);
}

struct Spread {  // of the U-statistic of 30 draws of N(shift, I) in three dimensions
  Eigen::ArrayXd squares, claimed;
};

Spread spread(double shift, const Vec& weights) {
  constexpr int count = 20000;
  Eigen::ArrayXd claimed(count);
  int next = 0;
  const Eigen::ArrayXd u = replicates(count, [&](const Rng& rng) {
    const Mat points = normal_matrix(3, 30, rng).array() + shift;
    const SteinDiscrepancy found = kernel_stein_discrepancy(points, -points, {.weights = weights});
    claimed[next++] = std::pow(found.standard_error, 2);
    return found.u_statistic;
  });
  return {(u - u.mean()).square(), claimed};
}

TEST(Stein, StandardErrorIsThatOfReplicates) {
  for (const Vec& weights : {Vec(), Vec(Vec::LinSpaced(30, 0.5, 1.5))}) {
    const auto [squares, claimed] = spread(0.5, weights);
    EXPECT_LT(std::abs(z_score(squares - claimed, 0)), limit);
  }
}

// Var g = 0 under the law itself, and its estimate is cut at 0: a claim on the safe side.
TEST(Stein, StandardErrorUnderTheLawIsNotTooSmall) {
  for (const Vec& weights : {Vec(), Vec(Vec::LinSpaced(30, 0.5, 1.5))}) {
    const auto [squares, claimed] = spread(0, weights);
    EXPECT_LT(z_score(squares - claimed, 0), limit);
    EXPECT_GT(z_score(squares - claimed / (1.3 * 1.3), 0), -limit);
  }
}

// Independent errors of variance 4 in each of 3 coordinates: off the diagonal they average out, on it they add 12 / n.
TEST(Stein, UnbiasedNoisyScoresLeaveTheUStatisticAlone) {
  constexpr Index n = 40;
  const auto change = [&](const Rng& rng, auto statistic) {
    const Mat points = normal_matrix(3, n, rng);
    const Mat noisy = -points + 2 * normal_matrix(3, n, rng.child("noise"));
    return statistic(kernel_stein_discrepancy(points, noisy)) - statistic(kernel_stein_discrepancy(points, -points));
  };
  const auto u = [](const SteinDiscrepancy& d) { return d.u_statistic; };
  const auto v = [](const SteinDiscrepancy& d) { return d.ksd * d.ksd; };
  EXPECT_LT(std::abs(z_score(replicates(2000, [&](const Rng& rng) { return change(rng, u); }), 0)), limit);
  EXPECT_LT(std::abs(z_score(replicates(2000, [&](const Rng& rng) { return change(rng, v); }), 12.0 / n)), limit);
}

TEST(Stein, RefusesWhatDoesNotFit) {
  const Mat three = normal_matrix(2, 3, Rng(1));
  EXPECT_THROW(kernel_stein_discrepancy(Mat(2, 0), Mat(2, 0)), std::invalid_argument);
  EXPECT_THROW(kernel_stein_discrepancy(three, three.leftCols(2)), std::invalid_argument);
  for (const Vec& bad : {Vec{{1.0, 0.0}}, Vec{{1.0, -1.0}}, Vec{{1.0, HUGE_VAL}}, Vec{{1.0}}, Vec{{1.0, NAN}}}) {
    EXPECT_THROW(kernel_stein_discrepancy(three, three, {.scales = bad}), std::invalid_argument) << bad;
  }
  for (const Vec& bad : {Vec{{1.0, 1.0}}, Vec{{1.0, 1.0, -1.0}}, Vec{{0.0, 0.0, 0.0}}, Vec{{1.0, 1.0, NAN}}}) {
    EXPECT_THROW(kernel_stein_discrepancy(three, three, {.weights = bad}), std::invalid_argument) << bad;
  }
}

TEST(Stein, WhatIsNotANumberStaysSo) {
  Mat points = normal_matrix(2, 300, Rng(1));
  points(1, 280) = NAN;
  const SteinDiscrepancy found = kernel_stein_discrepancy(points, points);
  EXPECT_TRUE(std::isnan(found.ksd));
  EXPECT_TRUE(std::isnan(found.u_statistic));
  EXPECT_TRUE(std::isnan(found.standard_error));
}

}  // namespace
}  // namespace quasar
