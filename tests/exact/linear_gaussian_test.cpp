// The linear Gaussian model: its posterior by hand and by completing the square, minibatches, metric, synthetic data.
#include "targets/linear_gaussian.hpp"

#include <Eigen/Eigenvalues>
#include <Eigen/LU>
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include <quasar/errors.hpp>
#include <quasar/rng.hpp>

#include "support/allocations.hpp"
#include "support/laws.hpp"

namespace quasar {
namespace {

std::unique_ptr<LinearGaussian> synthetic(const Settings& settings) {
  auto target = make_linear_gaussian(Config("linear-gaussian", linear_gaussian_params, settings), nullptr);
  return std::unique_ptr<LinearGaussian>(dynamic_cast<LinearGaussian*>(target.release()));
}

const Settings four_by_300{{"dim", "4"}, {"rows", "300"}, {"noise_variance", "2"}};

Mat precision_of(LinearGaussian& target) {
  Mat p;
  EXPECT_TRUE(target.metric(Vec::Zero(target.dim()), p));
  return p;
}

TEST(LinearGaussian, PosteriorByHand) {
  // a = (1, 2), x = (3, 1), s2 = 2: P = 5/2 + 1 = 7/2, m = ((3 + 2)/2) / P = 5/7.
  LinearGaussian target({Mat{{1.0, 2.0}}, Vec{{3.0, 1.0}}, 2.0});
  EXPECT_NEAR(target.moments().mean[0], 5.0 / 7, 1e-15);
  EXPECT_NEAR(target.moments().variance[0], 2.0 / 7, 1e-15);
  Vec grad(1);
  EXPECT_NEAR(target.logp_grad(Vec{{1.0}}, grad).logp, -0.5 - (4.0 + 1.0) / 4, 1e-15);
  EXPECT_NEAR(grad[0], -1 + (2.0 - 2.0) / 2, 1e-15);
}

TEST(LinearGaussian, DensityIsTheStatedNormalLaw) {
  const auto target = synthetic(four_by_300);
  const Vec mean = target->moments().mean, x = Vec::LinSpaced(4, -1.0, 2.0);
  const Mat precision = precision_of(*target);
  Vec grad(4);
  const double at_mean = target->logp_grad(mean, grad).logp;
  EXPECT_LT(grad.norm(), 1e-11);
  EXPECT_NEAR(target->logp_grad(x, grad).logp - at_mean, -0.5 * (x - mean).dot(precision * (x - mean)), 1e-10);
  EXPECT_LT((grad + precision * (x - mean)).norm(), 1e-11);
  EXPECT_LT((target->moments().variance - precision.inverse().diagonal()).norm(), 1e-15);
}

TEST(LinearGaussian, HessianAndMetricAreTheConstantPrecision) {
  const auto target = synthetic(four_by_300);
  const Vec x = Vec::LinSpaced(4, -1.0, 2.0);
  const Mat precision = precision_of(*target);
  Mat h, along;
  target->second_derivatives(x, h);
  EXPECT_EQ(h, precision);
  Vec out = Vec::Ones(4);
  target->directional(x, x, along);
  EXPECT_EQ(along, Mat::Zero(4, 4));
  target->contract(x, h, out);
  EXPECT_EQ(out, Vec::Zero(4));
  out.setOnes();
  target->divergence(x, out);
  EXPECT_EQ(out, Vec::Zero(4));
  out.setOnes();
  target->third_derivatives(x, h, out);
  EXPECT_EQ(out, Vec::Zero(4));
}

// Weighted and repeated terms, across the ends of blocks, against one term at a time.
TEST(LinearGaussian, SubsetsAddUpTermByTerm) {
  const auto target = synthetic(four_by_300);
  const Vec x = Vec::LinSpaced(4, -1.0, 2.0);
  std::vector<Index> ids;
  for (Index i = 0; i < 290; ++i) ids.push_back((7 * i + 3) % 300);
  ids.push_back(ids.front());
  Vec together = Vec::Ones(4), one_by_one = Vec::Ones(4);
  const double logp = target->add_terms(x, ids, 2.5, together, Want::both).logp;
  double sum = 0;
  for (const Index id : ids) sum += target->add_range(x, id, id + 1, 2.5, one_by_one, Want::both).logp;
  EXPECT_NEAR(logp, sum, 1e-12 * std::abs(sum));
  EXPECT_LT((together - one_by_one).norm(), 1e-12 * one_by_one.norm());
}

TEST(LinearGaussian, EvaluationsDoNotAllocate) {
  const auto target = synthetic({{"dim", "100"}, {"rows", "500"}});
  const Vec x = Vec::LinSpaced(100, -1.0, 2.0);
  Vec grad(100);
  std::vector<Index> ids(200, 17);
  const long before = test::allocation_count;
  target->prior(x, grad, Want::gradient);
  target->add_terms(x, ids, 2.0, grad, Want::gradient);
  target->logp_grad(x, grad);
  EXPECT_EQ(test::allocation_count - before, 0);
  EXPECT_GT(test::allocation_count, 0);  // the counter counts
}

// The sample eigenvalues of N normal vectors are about independent, N(lambda, 2 lambda^2 / N).
void expect_eigenvalues(const Settings& settings, const Vec& expected) {
  constexpr double rows = 20000, noise = 2;
  Settings all = settings;
  all.insert({{"rows", "20000"}, {"noise_variance", "2"}});
  const auto target = synthetic(all);
  const Index dim = target->dim();
  const Mat scatter = (precision_of(*target) - Mat::Identity(dim, dim)) * noise / rows;
  const Vec seen = Eigen::SelfAdjointEigenSolver<Mat>(scatter).eigenvalues();
  for (Index i = 0; i < dim; ++i) {
    test::expect_plausible(test::z_p_value((seen[i] / expected[i] - 1) / std::sqrt(2 / rows)));
  }
  EXPECT_GT((scatter - Mat(scatter.diagonal().asDiagonal())).norm(), 0.1);  // not along the axes
}

TEST(LinearGaussian, PredictorsHaveTheStatedSpectrum) {
  expect_eigenvalues({}, Vec{{0.05, 1.0}});
  expect_eigenvalues({{"dim", "3"}}, Vec{{std::pow(10, -1.5), std::pow(10, -0.75), 1.0}});
}

// -2 max(log prior + log likelihood) = x'(AA' + s2 I)^-1 x without the constants, and x ~ N(0, AA' + s2 I): chi-square
// with as many degrees of freedom as rows. Little noise, so that a wrong theta is seen.
TEST(LinearGaussian, DataFollowTheModel) {
  constexpr int seeds = 500, rows = 10;
  double statistic = 0;
  for (int seed = 0; seed < seeds; ++seed) {
    const auto target =
        synthetic({{"rows", std::to_string(rows)}, {"noise_variance", "0.1"}, {"data_seed", std::to_string(seed)}});
    Vec grad(2);
    statistic -= 2 * target->logp_grad(target->moments().mean, grad).logp;
  }
  const double upper = test::chi_square_p_value(statistic, seeds * rows);
  test::expect_plausible(2 * std::min(upper, 1 - upper));
}

TEST(LinearGaussian, TheSeedNamesTheData) {
  const auto mean = [](const char* seed) { return synthetic({{"data_seed", seed}})->moments().mean; };
  EXPECT_EQ(mean("3"), mean("3"));
  EXPECT_NE(mean("3"), mean("4"));
}

TEST(LinearGaussian, RefusesWhatIsNoModel) {
  for (const Settings& bad : {Settings{{"dim", "0"}},
                              {{"rows", "0"}},
                              {{"noise_variance", "0"}},
                              {{"data_seed", "-1"}},
                              {{"correlation", "0.5"}}}) {
    EXPECT_THROW(synthetic(bad), UsageError) << bad.begin()->first;
  }
}

}  // namespace
}  // namespace quasar
