// The named densities: gradients, exact laws, moments, and the ways a user can describe a Gaussian.
#include <boost/math/distributions/exponential.hpp>
#include <boost/math/distributions/normal.hpp>
#include <boost/math/quadrature/gauss.hpp>
#include <boost/math/quadrature/gauss_kronrod.hpp>
#include <boost/math/special_functions/digamma.hpp>
#include <boost/math/special_functions/trigamma.hpp>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>

#include <quasar/check_gradient.hpp>
#include <quasar/errors.hpp>
#include <quasar/rng.hpp>

#include "support/statistics.hpp"
#include "targets/banana.hpp"
#include "targets/exact_law.hpp"
#include "targets/funnel.hpp"
#include "targets/gaussian.hpp"
#include "targets/linear_gaussian.hpp"
#include "targets/normal_loggamma.hpp"
#include "targets/quartic.hpp"

namespace quasar {
namespace {

constexpr int draws = 100000;
constexpr int assertions = 250;  // upper bound of the statistical assertions of this file
const double alpha = test::per_assertion(test::family_alpha, assertions);

struct Named {
  std::string name;
  std::unique_ptr<Target> target;
};

std::unique_ptr<Target> gaussian(const Settings& settings) {
  return make_gaussian(Config("gaussian", gaussian_params, settings), nullptr);
}

std::vector<Named> exact_targets() {
  std::vector<Named> all;
  const auto add = [&](std::string name, std::unique_ptr<Target> target) {
    all.push_back({std::move(name), std::move(target)});
  };
  add("gaussian", gaussian({}));
  add("ill-conditioned", gaussian({{"dim", "5"}, {"condition", "1e4"}}));
  add("rotated", gaussian({{"dim", "4"}, {"condition", "100"}, {"rotation", "true"}}));
  add("outliers", gaussian({{"dim", "12"}, {"condition", "50"}, {"spectrum", "outliers"}, {"outliers", "3"}}));
  add("equicorrelation", gaussian({{"dim", "3"}, {"correlation", "0.8"}}));
  add("anticorrelation", gaussian({{"dim", "3"}, {"correlation", "-0.45"}}));
  add("ones_plus_4", gaussian({{"dim", "6"}, {"covariance", "ones_plus_4"}}));
  add("linear-gaussian",
      make_linear_gaussian(Config("linear-gaussian", linear_gaussian_params, {{"dim", "3"}}), nullptr));
  add("banana", make_banana(Config("banana", banana_params, {{"curvature", "0.1"}, {"scale", "2"}}), nullptr));
  add("funnel", make_funnel(Config("funnel", funnel_params, {{"dim", "4"}}), nullptr));
  add("double-well", make_double_well(Config("double-well", double_well_params, {{"dim", "2"}}), nullptr));
  add("quartic", make_quartic(Config("quartic", quartic_params, {{"dim", "2"}}), nullptr));
  add("normal-loggamma", make_normal_loggamma(Config("normal-loggamma", normal_loggamma_params, {}), nullptr));
  return all;
}

const ExactLaw& law_of(const Target& target) { return dynamic_cast<const ExactLaw&>(target); }

Mat sample(const Target& target, std::uint64_t seed) {  // one draw per column
  Mat x(target.dim(), draws);
  for (int i = 0; i < draws; ++i) law_of(target).draw(Rng(seed).at(static_cast<std::uint64_t>(i)), x.col(i));
  return x;
}

double z_score(const Eigen::ArrayXd& values, double mean) {
  const double variance = (values - values.mean()).square().mean();
  return (values.mean() - mean) / std::sqrt(variance / static_cast<double>(values.size()));
}

template <class Cdf>
double ks(Eigen::ArrayXd values, Cdf cdf) {
  std::sort(values.begin(), values.end());
  return test::ks_p_value({values.data(), static_cast<std::size_t>(values.size())}, cdf);
}

double normal_cdf(double z) { return boost::math::cdf(boost::math::normal(), z); }

TEST(Targets, GradientsBelongToTheirDensities) {
  for (const auto& [name, target] : exact_targets()) {
    const GradientCheck check = check_gradient_at_random(*target, Rng(11), 10);
    EXPECT_TRUE(check.ok) << name << ": " << check.message;
  }
}

TEST(Targets, ForksAgreeAndLayoutsFit) {
  for (const auto& [name, target] : exact_targets()) {
    const auto fork = target->fork();
    const Vec x = Vec::LinSpaced(target->dim(), -0.5, 0.7);
    Vec a(x.size()), b(x.size()), values(target->layout().size()), back(x.size());
    EXPECT_EQ(target->logp_grad(x, a).logp, fork->logp_grad(x, b).logp) << name;
    EXPECT_EQ(a, b) << name;
    target->constrain(x, values, Rng(1));
    target->unconstrain(values, back);
    EXPECT_LT((back - x).norm(), 1e-14) << name;
  }
}

TEST(Targets, PointsWithoutDensityAreRejected) {
  for (const auto& [name, target] : exact_targets()) {
    Vec grad(target->dim());
    EXPECT_FALSE(target->logp_grad(Vec::Constant(target->dim(), std::nan("")), grad).ok) << name;
    EXPECT_FALSE(target->logp_grad(Vec::Constant(target->dim(), 1e200), grad).ok) << name;
  }
}

// Integration by parts (Stein): E d_i logp = 0 and E x_i d_i logp = -1 under the density itself.
TEST(ExactLaws, DrawsObeySteinsIdentities) {
  const double limit = test::z_threshold(alpha);
  for (const auto& [name, target] : exact_targets()) {
    const Mat x = sample(*target, 21);
    Mat grad(x.rows(), x.cols());
    for (Index i = 0; i < x.cols(); ++i) target->logp_grad(x.col(i), grad.col(i));
    for (Index i = 0; i < x.rows(); ++i) {
      EXPECT_LT(std::fabs(z_score(grad.row(i).transpose().array(), 0)), limit) << name << " coordinate " << i;
      const Eigen::ArrayXd product = x.row(i).cwiseProduct(grad.row(i)).transpose();
      EXPECT_LT(std::fabs(z_score(product, -1)), limit) << name << " coordinate " << i;
    }
  }
}

TEST(ExactLaws, DrawsHaveTheStatedMoments) {
  const double limit = test::z_threshold(alpha);
  for (const auto& [name, target] : exact_targets()) {
    const Mat x = sample(*target, 22);
    const Moments moments = law_of(*target).moments();
    for (Index i = 0; i < x.rows(); ++i) {
      const bool heavy =
          name == "funnel" && i > 0;  // x has no usable fourth moment; its scaled version is tested below
      if (heavy) continue;
      const Eigen::ArrayXd deviation = x.row(i).transpose().array() - moments.mean[i];
      EXPECT_LT(std::fabs(z_score(deviation, 0)), limit) << name << " coordinate " << i;
      EXPECT_LT(std::fabs(z_score(deviation.square(), moments.variance[i])), limit) << name << " coordinate " << i;
    }
  }
}

TEST(ExactLaws, ADrawIsAFunctionOfItsName) {
  for (const auto& [name, target] : exact_targets()) {
    Vec a(target->dim()), b(target->dim()), c(target->dim());
    law_of(*target).draw(Rng(5).at(3), a);
    law_of(*target).draw(Rng(5).at(3), b);
    law_of(*target).draw(Rng(5).at(4), c);
    EXPECT_EQ(a, b) << name;
    EXPECT_NE(a, c) << name;
  }
}

TEST(ExactLaws, GaussianRootSolveAndVariancesDescribeOneMatrix) {
  const Vec eigenvalues{{3.0, 1.0, 0.2, 0.05}};
  const DiagonalCovariance diagonal(eigenvalues);
  const RotatedCovariance rotated(random_basis(4, 9), eigenvalues);
  const ExchangeableCovariance exchangeable(4, 1.3, -0.3);
  for (const Covariance* covariance : std::initializer_list<const Covariance*>{&diagonal, &rotated, &exchangeable}) {
    Mat root(4, 4), inverse(4, 4);
    for (Index i = 0; i < 4; ++i) {
      covariance->root(Vec::Unit(4, i), root.col(i));
      covariance->solve(Vec::Unit(4, i), inverse.col(i));
    }
    const Mat sigma = root * root.transpose();
    EXPECT_LT((sigma * inverse - Mat::Identity(4, 4)).norm(), 1e-12);
    EXPECT_LT((sigma.diagonal() - covariance->variances()).norm(), 1e-12);
  }
}

TEST(ExactLaws, RandomBasisIsOrthogonalAndDependsOnItsSeed) {
  const Mat q = random_basis(7, 3);
  EXPECT_LT((q.transpose() * q - Mat::Identity(7, 7)).norm(), 1e-13);
  EXPECT_EQ(q, random_basis(7, 3));
  EXPECT_GT((q - random_basis(7, 4)).norm(), 0.1);
}

// Under the Haar measure tr Q has mean 0 and variance 1, whatever the dimension above 1.
TEST(ExactLaws, RandomBasisIsUniform) {
  constexpr int bases = 2000;
  Eigen::ArrayXd trace(bases);
  for (int i = 0; i < bases; ++i) trace[i] = random_basis(3, static_cast<std::uint64_t>(i)).trace();
  EXPECT_LT(std::fabs(z_score(trace, 0)), test::z_threshold(alpha));
  EXPECT_LT(std::fabs(z_score(trace.square(), 1)), test::z_threshold(alpha));
}

TEST(ExactLaws, GaussianMarginalsAreNormal) {
  const auto target = gaussian({{"dim", "3"}, {"correlation", "0.8"}});
  const Mat x = sample(*target, 23);
  for (Index i = 0; i < 3; ++i) EXPECT_GT(ks(x.row(i).transpose().array(), normal_cdf), alpha);
  const Eigen::ArrayXd difference = (x.row(0) - x.row(1)).transpose().array() / std::sqrt(2 * (1 - 0.8));
  EXPECT_GT(ks(difference, normal_cdf), alpha);
}

TEST(ExactLaws, BananaStraightensToNormals) {
  const Banana target(2, 0.1);
  const Mat x = sample(target, 24);
  const Eigen::ArrayXd x1 = x.row(0).transpose(), x2 = x.row(1).transpose();
  EXPECT_GT(ks(x1 / 2, normal_cdf), alpha);
  EXPECT_GT(ks(x2 - 0.1 * (x1.square() - 4), normal_cdf), alpha);
}

TEST(ExactLaws, FunnelRescalesToNormals) {
  const Funnel target(4);
  const Mat x = sample(target, 25);
  const Eigen::ArrayXd v = x.row(0).transpose();
  EXPECT_GT(ks(v / 3, normal_cdf), alpha);
  for (Index i = 1; i < 4; ++i) EXPECT_GT(ks(x.row(i).transpose().array() * (-v / 2).exp(), normal_cdf), alpha);
  EXPECT_NEAR(target.moments().variance[1], std::exp(4.5), 1e-12);
}

TEST(ExactLaws, LogGammaExponentiatesToAnExponential) {
  const NormalLogGamma target;
  const Mat x = sample(target, 26);
  const auto cdf = [](double t) { return boost::math::cdf(boost::math::exponential(1), t); };
  EXPECT_GT(ks(x.row(0).transpose().array(), normal_cdf), alpha);
  EXPECT_GT(ks(x.row(1).transpose().array().exp(), cdf), alpha);
  EXPECT_NEAR(target.moments().mean[1], boost::math::digamma(1.0), 1e-15);
  EXPECT_NEAR(target.moments().variance[1], boost::math::trigamma(1.0), 1e-15);
}

struct QuarticCase {
  double a, b, second_moment, printed_digits;
};

class Quartics : public testing::TestWithParam<QuarticCase> {
 protected:
  double density(double t) const { return std::exp(-GetParam().a * std::pow(t, 4) - GetParam().b * t * t); }
  template <class F>
  double integral(F f, double from, double to) const {
    return boost::math::quadrature::gauss_kronrod<double, 61>::integrate(f, from, to, 15, 1e-14);
  }
};

TEST_P(Quartics, SecondMomentIsExact) {
  const QuarticProduct target("t", 1, GetParam().a, GetParam().b);
  const double mass = integral([&](double t) { return density(t); }, -8.0, 8.0);
  const double second = integral([&](double t) { return t * t * density(t); }, -8.0, 8.0) / mass;
  EXPECT_NEAR(target.moments().variance[0], second, 1e-13);
  EXPECT_NEAR(second, GetParam().second_moment, GetParam().printed_digits);
}

TEST_P(Quartics, DrawsFollowTheDensity) {
  const QuarticProduct target("t", 1, GetParam().a, GetParam().b);
  const double mass = integral([&](double t) { return density(t); }, -8.0, 8.0);
  double reached = -8, area = 0;
  const auto cdf = [&](double t) {  // called in ascending order
    area += boost::math::quadrature::gauss<double, 10>::integrate([&](double s) { return density(s); }, reached, t);
    reached = t;
    return std::min(area / mass, 1.0);
  };
  EXPECT_GT(ks(sample(target, 27).row(0).transpose().array(), cdf), alpha);
}

INSTANTIATE_TEST_SUITE_P(Targets, Quartics,
                         testing::Values(QuarticCase{1, -2, 0.8327454871, 1e-10},
                                         QuarticCase{0.25, 0.5, 0.46792, 1e-5}));

TEST(DoubleWell, IsThePublishedPotential) {
  const auto target = make_double_well(Config("double-well", double_well_params, {}), nullptr);
  Vec grad(1);
  EXPECT_DOUBLE_EQ(target->logp_grad(Vec{{0.5}}, grad).logp, 0.4375);  // -(1/16 - 1/2)
  EXPECT_DOUBLE_EQ(grad[0], 1.5);
  EXPECT_EQ(target->layout().variables[0].name, "theta");
  EXPECT_TRUE(target->layout().variables[0].shape.empty());
  const auto product = make_double_well(Config("double-well", double_well_params, {{"dim", "3"}}), nullptr);
  EXPECT_EQ(product->layout().variables[0].shape, std::vector<Index>{3});
}

TEST(QuarticTarget, IsThePublishedPotential) {
  const auto target = make_quartic(Config("quartic", quartic_params, {{"dim", "2"}}), nullptr);
  Vec grad(2);
  EXPECT_DOUBLE_EQ(target->logp_grad(Vec{{1.0, 2.0}}, grad).logp, -0.75 - 6);
  EXPECT_EQ(grad, (Vec{{-2.0, -10.0}}));
}

double logp(Target& target, const Vec& x) {
  Vec grad(x.size());
  return target.logp_grad(x, grad).logp;
}

TEST(GaussianConfig, SpectrumRunsFromOneToTheReciprocalCondition) {
  const auto target = gaussian({{"dim", "3"}, {"condition", "100"}});
  EXPECT_LT((law_of(*target).moments().variance - Vec{{1, 0.1, 0.01}}).norm(), 1e-15);
  const auto outliers = gaussian({{"dim", "4"}, {"condition", "100"}, {"spectrum", "outliers"}, {"outliers", "2"}});
  EXPECT_LT((law_of(*outliers).moments().variance - Vec{{100, 10, 1, 1}}).norm(), 1e-12);
}

TEST(GaussianConfig, CorrelationAloneSelectsEquicorrelation) {
  const auto target = gaussian({{"dim", "2"}, {"correlation", "0.5"}});
  EXPECT_NEAR(logp(*target, Vec{{1.0, 0.0}}), -0.5 / (1 - 0.25), 1e-15);  // precision (1, -rho)/(1 - rho^2)
  EXPECT_NEAR(logp(*target, Vec{{1.0, 1.0}}), -1 / 1.5, 1e-15);
}

TEST(GaussianConfig, OnesPlusFour) {
  const auto target = gaussian({{"dim", "100"}, {"covariance", "ones_plus_4"}});
  EXPECT_NEAR(logp(*target, Vec::Ones(100)), -0.5 * 100 / 104, 1e-12);  // the eigenvalue of 1 is 104
  EXPECT_NEAR(logp(*target, Vec::Unit(100, 0) - Vec::Unit(100, 1)), -0.5 * 2 / 4, 1e-12);
}

TEST(GaussianConfig, RotationKeepsTheSpectrum) {
  const auto plain = gaussian({{"dim", "6"}, {"condition", "1e3"}});
  const auto rotated = gaussian({{"dim", "6"}, {"condition", "1e3"}, {"rotation", "true"}});
  const auto other = gaussian({{"dim", "6"}, {"condition", "1e3"}, {"rotation", "true"}, {"basis_seed", "2"}});
  const auto total = [](const Target& target) { return law_of(target).moments().variance.sum(); };
  EXPECT_NEAR(total(*rotated), total(*plain), 1e-12);
  EXPECT_NE(logp(*rotated, Vec::Ones(6)), logp(*other, Vec::Ones(6)));
}

TEST(GaussianConfig, ContradictionsAreRefused) {
  const std::vector<Settings> contradictions = {
      {{"correlation", "0.5"}, {"condition", "10"}},
      {{"correlation", "0.5"}, {"covariance", "spectrum"}},
      {{"correlation", "0.5"}, {"covariance", "ones_plus_4"}},
      {{"correlation", "0.5"}, {"rotation", "true"}},
      {{"covariance", "ones_plus_4"}, {"condition", "10"}},
      {{"covariance", "equicorrelation"}, {"spectrum", "outliers"}},
      {{"outliers", "3"}},
      {{"outliers", "11"}, {"spectrum", "outliers"}},
      {{"basis_seed", "3"}},
      {{"correlation", "1"}},
      {{"correlation", "-0.12"}},  // -1/9 is the limit in ten dimensions
      {{"correlation", "2"}},
      {{"dim", "0"}},
      {{"condition", "0.5"}},
  };
  for (const auto& settings : contradictions) {
    EXPECT_THROW(gaussian(settings), UsageError) << settings.begin()->first << '=' << settings.begin()->second;
  }
}

TEST(GaussianConfig, ACompleteConfigurationCanBeReplayed) {
  const Settings all = {{"dim", "2"},          {"covariance", "auto"},      {"correlation", "0.5"},
                        {"condition", "1"},    {"spectrum", "log_uniform"}, {"outliers", "10"},
                        {"rotation", "false"}, {"basis_seed", "1"}};
  EXPECT_EQ(logp(*gaussian(all), Vec{{1.0, 0.3}}),
            logp(*gaussian({{"dim", "2"}, {"correlation", "0.5"}}), Vec{{1.0, 0.3}}));
}

}  // namespace
}  // namespace quasar
