// A preconditioner is one matrix H seen three ways: products, solves and draws have to agree.
#include <Eigen/LU>
#include <gtest/gtest.h>

#include <cmath>

#include "adapt/mass.hpp"
#include "metrics/dense.hpp"
#include "metrics/diagonal.hpp"
#include "metrics/identity.hpp"
#include "metrics/low_rank.hpp"
#include "metrics/squared.hpp"

namespace quasar {
namespace {

static_assert(Preconditioner<Identity> && Preconditioner<Diagonal> && Preconditioner<Dense> &&
              Preconditioner<LowRank> && Preconditioner<Squared<Dense>>);

constexpr Index d = 4;

template <class P>
Mat matrix_of(const P& metric) {
  Mat h(d, d);
  for (Index i = 0; i < d; ++i) metric.apply(Vec::Unit(d, i), h.col(i));
  return h;
}

// draw is linear in the normals of its stream; d streams give the map A.
template <class P>
Mat draw_map(const P& metric) {
  Mat z(d, d), drawn(d, d);
  for (Index i = 0; i < d; ++i) {
    const Rng rng = Rng(11).at(static_cast<std::uint64_t>(i));
    Stream a = rng.stream("z"), b = rng.stream("z");
    a.normals(z.col(i));
    metric.draw(b, drawn.col(i));
  }
  return drawn * z.inverse();
}

template <class P>
void expect_consistent(const P& metric, const Mat& h) {
  EXPECT_LT((matrix_of(metric) - h).norm(), 1e-12);
  const Vec v{{0.3, -1.2, 2.0, 0.1}};
  Vec hv(d), back(d);
  metric.apply(v, hv);
  metric.solve(hv, back);
  EXPECT_LT((back - v).norm(), 1e-11);
  const Mat a = draw_map(metric);
  EXPECT_LT((a * a.transpose() - h).norm(), 1e-10);
}

Mat some_covariance() {
  return Mat{{2.0, 0.3, -0.5, 0.1}, {0.3, 1.0, 0.2, 0.0}, {-0.5, 0.2, 1.5, 0.4}, {0.1, 0.0, 0.4, 0.7}};
}

TEST(Metrics, ProductSolveAndDrawAgree) {
  expect_consistent(Identity(d), Mat::Identity(d, d));
  Diagonal diagonal(d);
  const Vec variance{{0.1, 2.0, 30.0, 1.0}};
  diagonal.set_variance(variance);
  expect_consistent(diagonal, variance.asDiagonal());
  Dense dense(d);
  ASSERT_TRUE(dense.set_covariance(some_covariance()));
  expect_consistent(dense, some_covariance());
  expect_consistent(Squared<Dense>(dense, d), some_covariance() * some_covariance());
}

TEST(Metrics, LowRankStretchesItsDirections) {
  LowRank metric(d, 3);
  expect_consistent(metric, Mat::Identity(d, d));
  const Vec scale{{0.5, 2.0, 1.0, 3.0}}, eigenvalues{{25, 0.04}};
  Mat directions(d, 2);
  directions << 0.6, 0, 0.8, 0, 0, 0.8, 0, -0.6;
  metric.set(scale, directions, eigenvalues);
  EXPECT_EQ(metric.rank(), 2);
  const Vec beyond = eigenvalues.array() - 1;
  const Mat inner = Mat::Identity(d, d) + directions * beyond.asDiagonal() * directions.transpose();
  expect_consistent(metric, scale.asDiagonal() * inner * scale.asDiagonal());
  EXPECT_EQ(metric.inverse_metric(d), matrix_of(metric));
}

TEST(Metrics, DenseRefusesWhatIsNotPositiveDefinite) {
  Dense dense(d);
  EXPECT_FALSE(dense.set_covariance(-Mat::Identity(d, d)));
  EXPECT_EQ(dense.covariance(), Mat::Identity(d, d));
}

class Learned : public testing::Test {
 protected:
  // A Gaussian with diagonal covariance: the gradient of U is x / variance.
  void feed(auto& learner, int n) {
    Stream stream = Rng(5).stream("draws");
    Vec x(d);
    for (int i = 0; i < n; ++i) {
      stream.normals(x);
      x.array() *= variance.array().sqrt();
      draws.push_back(x);
      learner.add(x, x.cwiseQuotient(variance));
    }
  }
  Mat sample_covariance() const {
    Vec mean = Vec::Zero(d);
    for (const Vec& x : draws) mean += x / static_cast<double>(draws.size());
    Mat sum = Mat::Zero(d, d);
    for (const Vec& x : draws) sum += (x - mean) * (x - mean).transpose();
    return sum / static_cast<double>(draws.size() - 1);
  }
  const Vec variance{{1e-4, 1.0, 50.0, 0.3}};
  std::vector<Vec> draws;
};

TEST_F(Learned, WelfordIsTheShrunkSampleVariance) {
  WelfordDiagonal learner(d);
  feed(learner, 30);
  Diagonal metric(d);
  ASSERT_TRUE(learner.learn(metric));
  const Vec expected = 30.0 / 35 * sample_covariance().diagonal().array() + 1e-3 * 5 / 35;
  EXPECT_LT((metric.variance() - expected).norm(), 1e-12 * expected.norm());
}

TEST_F(Learned, WelfordDenseIsTheShrunkSampleCovariance) {
  WelfordDense learner(d);
  feed(learner, 30);
  Dense metric(d);
  ASSERT_TRUE(learner.learn(metric));
  const Mat expected = 30.0 / 35 * sample_covariance() + 1e-3 * 5 / 35 * Mat::Identity(d, d);
  EXPECT_LT((metric.covariance() - expected).norm(), 1e-12 * expected.norm());
}

TEST_F(Learned, FisherIsExactForADiagonalGaussianAfterTwoDraws) {
  FisherDiagonal learner(d);
  feed(learner, 2);
  Diagonal metric(d);
  ASSERT_TRUE(learner.learn(metric));
  EXPECT_LT((metric.variance() - variance).cwiseQuotient(variance).norm(), 1e-10);
}

TEST_F(Learned, FisherKeepsTheScaleOfACoordinateThatDoesNotMove) {
  FisherDiagonal learner(d);
  const Vec x{{1, 2, 3, 4}};
  learner.add(x, x);
  learner.add(x, x);
  Diagonal metric(d);
  metric.set_variance(variance);
  ASSERT_TRUE(learner.learn(metric));
  EXPECT_EQ(metric.variance(), variance);
}

TEST_F(Learned, NothingIsLearnedFromOneDraw) {
  WelfordDiagonal welford(d);
  feed(welford, 1);
  Diagonal metric(d);
  EXPECT_FALSE(welford.learn(metric));
  EXPECT_EQ(metric.variance(), Vec::Ones(d));
}

TEST_F(Learned, ResetForgets) {
  WelfordDiagonal a(d), b(d);
  feed(a, 10);
  a.reset();
  draws.clear();
  feed(a, 20);
  feed(b, 20);
  Diagonal from_a(d), from_b(d);
  a.learn(from_a);
  b.learn(from_b);
  EXPECT_EQ(from_a.variance(), from_b.variance());
}

}  // namespace
}  // namespace quasar
