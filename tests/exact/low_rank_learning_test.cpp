// Metrics learned from draws, gradients and probes, against Gaussians whose covariance is known.
#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <gtest/gtest.h>

#include <cmath>

#include "adapt/curvature_mass.hpp"
#include "adapt/draw_window.hpp"
#include "adapt/fisher_low_rank.hpp"
#include "adapt/lanczos.hpp"
#include "adapt/mass.hpp"
#include "quasar/rng.hpp"
#include "targets/covariance.hpp"

namespace quasar {
namespace {

// A Gaussian with a known covariance, from which window and probes can be fed.
struct Law {
  Mat covariance, precision, root;
  explicit Law(Mat sigma)
      : covariance(std::move(sigma)), precision(covariance.inverse()), root(covariance.llt().matrixL()) {}
  Index dim() const { return covariance.rows(); }

  template <class Learner>
  void feed(Learner& learner, int draws, std::uint64_t seed = 1) const {
    Stream stream = Rng(seed).stream("draws");
    Vec z(dim());
    for (int i = 0; i < draws; ++i) {
      stream.normals(z);
      const Vec x = root * z;
      learner.add(x, precision * x);
    }
  }

  LocalGradient gradient_at(const Vec& x) const {
    const Vec here = precision * x;
    return {here, [this, x](In offset, Out out) {
              out = precision * (x + offset);
              return true;
            }};
  }

  // How far from a multiple of the identity the metric leaves the covariance.
  template <class P>
  double condition(const P& metric) const {
    Mat product(dim(), dim());
    for (Index i = 0; i < dim(); ++i) metric.apply(root.transpose().inverse().col(i), product.col(i));
    const Mat whitened = root.inverse() * product;
    const Vec values = Eigen::SelfAdjointEigenSolver<Mat>((whitened + whitened.transpose()) / 2).eigenvalues();
    return values[dim() - 1] / values[0];
  }
};

Law with_outliers(Index dim, Index outliers, double variance) {
  Vec eigenvalues = Vec::Ones(dim);
  for (Index i = 0; i < outliers; ++i) eigenvalues[i] = std::pow(variance, 1 - 0.1 * static_cast<double>(i));
  const Mat basis = random_basis(dim, 3);
  return Law(basis * eigenvalues.asDiagonal() * basis.transpose());
}

Law diagonal_law(Index dim, double condition) {
  return Law(Vec::LinSpaced(dim, 0, std::log(condition)).array().exp().matrix().asDiagonal());
}

TEST(DrawWindow, ThinsEvenlyToWhatFits) {
  DrawWindow window(1);
  for (int i = 0; i < 1000; ++i) window.add(Vec::Constant(1, i), Vec::Constant(1, 2 * i));
  const CentredDraws draws = window.centred();
  ASSERT_EQ(window.kept(), 250);  // every fourth of the thousand
  EXPECT_NEAR(draws.x.sum(), 0, 1e-9);
  for (Index i = 1; i < window.kept(); ++i) {
    EXPECT_NEAR(draws.x(0, i) - draws.x(0, i - 1), 4, 1e-9);
    EXPECT_NEAR(draws.g(0, i) - draws.g(0, i - 1), 8, 1e-9);
  }
  window.reset();
  EXPECT_EQ(window.kept(), 0);
}

// E (x'H^-1 x + g'H g) / 2d = 1 at H = S; with half or twice as much it is 1.25.
TEST(DrawWindow, MismatchIsLeastAtTheCovariance) {
  const Law law = with_outliers(6, 2, 100);
  DrawWindow window(6);
  law.feed(window, 200);
  const CentredDraws draws = window.centred();
  Dense metric(6);
  metric.set_covariance(law.covariance);
  const double least = mismatch(metric, draws);
  for (const double factor : {0.5, 2.0}) {
    metric.set_covariance(factor * law.covariance);
    EXPECT_NEAR(mismatch(metric, draws) / least, 1.25, 1e-9);
  }
}

// The equation H C_g H = C_x has the covariance itself as its solution as soon as draws span the space.
TEST(FisherLowRank, IsExactForAGaussianUpToWhatItLeavesOut) {
  const Law law = with_outliers(20, 5, 1000);
  FisherLowRank learner(20);
  law.feed(learner, 60);
  LowRank metric(20, fisher_rank(20));
  ASSERT_TRUE(learner.learn(metric));
  EXPECT_EQ(metric.rank(), 5);
  EXPECT_LT(law.condition(metric), 1.01);
}

TEST(FisherLowRank, FindsOutliersFromFewerDrawsThanDimensions) {
  for (const double variance : {1e4, 1e-4}) {
    const Law law = with_outliers(200, 3, variance);
    FisherLowRank learner(200);
    law.feed(learner, 60);
    LowRank metric(200, fisher_rank(200));
    ASSERT_TRUE(learner.learn(metric));
    Diagonal diagonal(200);  // what the draws tell of the coordinates alone
    FisherDiagonal scales(200);
    law.feed(scales, 60);
    ASSERT_TRUE(scales.learn(diagonal));
    EXPECT_GT(law.condition(diagonal) / law.condition(metric), 9) << variance;  // three times fewer steps
  }
}

TEST(FisherLowRank, KeepsNoDirectionOfADiagonalGaussian) {
  const Law law = diagonal_law(50, 1e4);
  FisherLowRank learner(50);
  law.feed(learner, 20);
  LowRank metric(50, fisher_rank(50));
  ASSERT_TRUE(learner.learn(metric));
  EXPECT_EQ(metric.rank(), 0);
  EXPECT_LT(law.condition(metric), 1 + 1e-9);
}

// Independent coordinates far from normal: with about as many draws as dimensions the noise of the window has
// directions that stand out, and held-out draws must see through them.
TEST(FisherLowRank, KeepsNoDirectionOfIndependentCoordinates) {
  for (const int draws : {25, 100, 200}) {
    FisherLowRank learner(100);
    Stream stream = Rng(7).stream("draws");
    Vec x(100), g(100);
    for (int i = 0; i < draws; ++i) {
      for (double& t : x) t = stream.normal() / std::sqrt(stream.gamma(2) / 2);  // Student's t with 4 degrees
      g = 5 * x.array() / (4 + x.array().square());
      learner.add(x, g);
    }
    LowRank metric(100, fisher_rank(100));
    ASSERT_TRUE(learner.learn(metric));
    EXPECT_EQ(metric.rank(), 0) << draws;
  }
}

TEST(FisherLowRank, LearnsNothingFromAChainThatStands) {
  FisherLowRank learner(3);
  LowRank metric(3, 3);
  EXPECT_FALSE(learner.learn(metric));
  for (int i = 0; i < 30; ++i) learner.add(Vec::Ones(3), Vec::Ones(3));
  EXPECT_FALSE(learner.learn(metric));
  EXPECT_EQ(metric.scale(), Vec::Ones(3));
}

// On a quadratic with k distinct curvatures the process ends after k products, with the curvatures and conjugate pairs.
TEST(Lanczos, FindsEveryCurvatureOfAQuadratic) {
  const Vec curvatures{{0.1, 0.5, 1, 4, 10}};
  Vec all = Vec::Ones(40);
  all.head(5) = curvatures;
  const Mat basis = random_basis(40, 3);
  const Law law(basis * all.cwiseInverse().asDiagonal() * basis.transpose());
  const CurvaturePairs pairs = probe_curvature(law.gradient_at(Vec::Ones(40)), Vec::Ones(40), 20, Rng(2));
  ASSERT_EQ(pairs.curvature.size(), 5);
  EXPECT_LT((pairs.curvature - curvatures).norm(), 1e-8);
  EXPECT_NEAR(pairs.weight.sum(), 1, 1e-12);
  EXPECT_GT(pairs.weight[2], 0.5);  // most directions are of the bulk
  const Mat products = pairs.s.transpose() * pairs.y;
  EXPECT_LT((products - Mat(products.diagonal().asDiagonal())).norm(), 1e-7);
  EXPECT_LT((law.precision * pairs.s - pairs.y).norm(), 1e-9);
}

TEST(Lanczos, WorksInScaledCoordinates) {
  const Law law = diagonal_law(10, 1e6);
  const Vec scale = law.covariance.diagonal().cwiseSqrt();
  const CurvaturePairs pairs = probe_curvature(law.gradient_at(Vec::Zero(10)), scale, 10, Rng(2));
  ASSERT_EQ(pairs.curvature.size(), 1);  // scaled, all directions are alike
  EXPECT_NEAR(pairs.curvature[0], 1, 1e-9);
  EXPECT_LT((law.precision * pairs.s - pairs.y).norm() / pairs.y.norm(), 1e-9);
}

TEST(Lanczos, ShortensStepsThatLeaveTheDomain) {
  const Law law = diagonal_law(4, 10);
  int refused = 0;
  LocalGradient gradient = law.gradient_at(Vec::Zero(4));
  const auto inner = gradient.at_offset;
  gradient.at_offset = [&](In offset, Out out) {
    if (offset.norm() > 0.3) return ++refused, false;
    return inner(offset, out);
  };
  EXPECT_EQ(probe_curvature(gradient, Vec::Ones(4), 4, Rng(1)).curvature.size(), 4);
  EXPECT_GT(refused, 0);
  gradient.at_offset = [](In, Out) { return false; };
  EXPECT_EQ(probe_curvature(gradient, Vec::Ones(4), 4, Rng(1)).curvature.size(), 0);
}

template <class Metric>
double learned_condition(const Law& law, Metric metric, int draws) {
  CurvatureMass<Metric> learner(law.dim());
  law.feed(learner, draws);
  EXPECT_TRUE(learner.learn(metric, law.gradient_at(Vec::Ones(law.dim())), Rng(4)));
  return law.condition(metric);
}

// Ten draws: the probes find the outliers, whatever the dimension.
TEST(CurvatureMass, FindsOutliersFromProbes) {
  for (const double variance : {1e4, 1e-4}) {
    EXPECT_LT(learned_condition(with_outliers(200, 8, variance), Lbfgs(200, 20), 10), 1.001) << variance;
    EXPECT_LT(learned_condition(with_outliers(30, 8, variance), Dense(30), 10), 1.001) << variance;
  }
}

TEST(CurvatureMass, KeepsTheScalesOfADiagonalGaussian) {
  EXPECT_LT(learned_condition(diagonal_law(50, 1e4), Lbfgs(50, 20), 10), 1 + 1e-6);
  EXPECT_LT(learned_condition(diagonal_law(50, 1e4), Dense(50), 10), 1 + 1e-6);
}

// U = (-x^2 + 4 y^2)/2 where it is probed: of the two curvatures one is negative, and no pair may come of it.
TEST(CurvatureMass, LeavesOutDirectionsThatBendDownwards) {
  CurvatureMass<Lbfgs> learner(2);
  Stream stream = Rng(3).stream("draws");
  Vec x(2);
  for (int i = 0; i < 40; ++i) {
    stream.normals(x);
    learner.add(x, Vec{{x[0], 4 * x[1]}});
  }
  const LocalGradient saddle{Vec::Zero(2), [](In offset, Out out) {
                               out = Vec{{-offset[0], 4 * offset[1]}};
                               return true;
                             }};
  ASSERT_LT(probe_curvature(saddle, Vec::Ones(2), 2, Rng(1)).curvature[0], 0);
  Lbfgs metric(2, 5);
  ASSERT_TRUE(learner.learn(metric, saddle, Rng(1)));
  EXPECT_EQ(metric.dropped(), 0);  // not left to the guard
  EXPECT_GT(Eigen::SelfAdjointEigenSolver<Mat>(metric.inverse_metric(2)).eigenvalues()[0], 0);
}

}  // namespace
}  // namespace quasar
