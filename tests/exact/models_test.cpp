// Models on data: densities against their definitions, gradients, partitions, scales, exact posteriors.
#include <boost/math/distributions/gamma.hpp>
#include <boost/math/distributions/normal.hpp>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>

#include <quasar/check_gradient.hpp>
#include <quasar/errors.hpp>
#include <quasar/rng.hpp>

#include "models/prior_only.hpp"
#include "support/regression.hpp"
#include "support/statistics.hpp"
#include "targets/quartic.hpp"

namespace quasar {
namespace {

using test::linear, test::logistic, test::make_table, test::normal;

constexpr int assertions = 20;  // upper bound of the statistical assertions of this file
const double alpha = test::per_assertion(test::family_alpha, assertions);

struct Named {
  std::string name;
  std::unique_ptr<Target> target;
};

// More rows than one block of the inner loop, and tables on both sides of the width where the product changes.
std::vector<Named> all_models() {
  std::vector<Named> all;
  all.push_back({"logistic", logistic(make_table(300, 3, true))});
  all.push_back({"plain logistic", logistic(make_table(20, 2, true), {{"standardize", "false"}, {"prior_sd", "2"}})});
  all.push_back({"linear", linear(make_table(300, 3, false))});
  all.push_back({"plain linear", linear(make_table(20, 2, false), {{"standardize", "false"}})});
  for (const std::string& model : test::regression_models) {
    for (const std::string prior : {"normal", "student_t", "laplace", "horseshoe"}) {
      all.push_back({model + " with prior " + prior,
                     test::regression(model, test::make_table_for(model, 150, 3), {{"prior", prior}})});
      all.push_back({model + " in groups with prior " + prior,
                     test::regression(model, test::make_table_for(model, 150, 3, 4),
                                      {{"prior", prior}, {"group", "g"}, {"prior_sd", "1.5"}})});
    }
    all.push_back({"wide " + model, test::regression(model, test::make_table_for(model, 150, 40))});
    all.push_back({model + " without intercept", test::regression(model, test::make_table_for(model, 20, 2),
                                                                  {{"intercept", "false"}, {"prior_sd", "2"}})});
  }
  all.push_back({"normal", normal(make_table(30, 1, false))});
  all.push_back({"natural normal", normal(make_table(30, 1, false), {{"coordinates", "natural"}})});
  return all;
}

Vec inner_point(const Target& target) {
  Vec x = Vec::LinSpaced(target.dim(), -0.4, 0.3);
  if (!target.support().empty()) x[1] = 0.7;
  return x;
}

double logp(Target& target, const Vec& x) {
  Vec grad(x.size());
  return target.logp_grad(x, grad).logp;
}

TEST(Models, GradientsBelongToTheirDensities) {
  for (const auto& [name, target] : all_models()) {
    const GradientCheck check = check_gradient_at_random(*target, Rng(13), 5);
    EXPECT_TRUE(check.ok) << name << ": " << check.message;
  }
}

TEST(Models, AnyPartitionAddsUpToTheFullSum) {
  for (const auto& [name, target] : all_models()) {
    auto& model = dynamic_cast<FiniteSum&>(*target);
    const Vec x = inner_point(model);
    const Index n = model.terms(), cut = n / 3;
    Vec full(x.size()), sum(x.size());
    const double expected = model.logp_grad(x, full).logp;
    double total = model.prior(x, sum, Want::both).logp;
    total += model.add_range(x, 0, cut, 1, sum, Want::both).logp;
    std::vector<Index> ids;
    for (Index i = n - 1; i >= cut; --i) ids.push_back(i);
    total += model.add_terms(x, ids, 3, sum, Want::both).logp;
    total += model.add_range(x, cut, n, -2, sum, Want::both).logp;
    EXPECT_NEAR(total, expected, 1e-11 * std::fabs(expected)) << name;
    EXPECT_LT((sum - full).norm(), 1e-11 * full.norm()) << name;
  }
}

// A prior and some of the terms, as stochastic samplers see it.
struct Part final : Target {
  explicit Part(FiniteSum& whole) : model(whole) {}
  std::unique_ptr<Target> fork() const override { return std::make_unique<Part>(*this); }
  Index dim() const override { return model.dim(); }
  std::span<const Interval> support() const override { return model.support(); }
  Eval logp_grad(In x, Out grad) override {
    const Index ids[] = {7, 3, 5};
    const Eval prior = model.prior(x, grad, Want::both);
    if (!prior.ok) return prior;
    const Eval range = model.add_range(x, 0, 2, 2.5, grad, Want::both);
    const Eval terms = model.add_terms(x, ids, 4, grad, Want::both);
    return {prior.logp + range.logp + terms.logp, range.ok && terms.ok};
  }
  FiniteSum& model;
};

TEST(Models, GradientsOfPartsBelongToTheirDensities) {
  for (const auto& [name, target] : all_models()) {
    Part part(dynamic_cast<FiniteSum&>(*target));
    const GradientCheck check = check_gradient_at_random(part, Rng(14), 5);
    EXPECT_TRUE(check.ok) << name << ": " << check.message;
  }
}

TEST(Models, GradientDoesNotDependOnWhetherTheDensityIsWanted) {
  for (const auto& [name, target] : all_models()) {
    auto& model = dynamic_cast<FiniteSum&>(*target);
    const Vec x = inner_point(model);
    Vec with(x.size()), without(x.size());
    model.prior(x, with, Want::both);
    model.add_range(x, 2, 15, 1, with, Want::both);
    model.prior(x, without, Want::gradient);
    EXPECT_TRUE(model.add_range(x, 2, 15, 1, without, Want::gradient).ok);
    EXPECT_EQ(with, without) << name;
  }
}

TEST(Models, ForksAgreeAndValuesRoundTrip) {
  for (const auto& [name, target] : all_models()) {
    const Vec x = inner_point(*target);
    Vec values(target->layout().size()), back(x.size());
    EXPECT_EQ(logp(*target, x), logp(*target->fork(), x)) << name;
    target->constrain(x, values, Rng(1));
    target->unconstrain(values, back);
    EXPECT_LT((back - x).norm(), 1e-12) << name;
  }
}

TEST(Models, ExtremePointsAreRejectedNotNaN) {
  for (const auto& [name, target] : all_models()) {
    Vec grad(target->dim());
    EXPECT_FALSE(target->logp_grad(Vec::Constant(target->dim(), std::nan("")), grad).ok) << name;
    EXPECT_FALSE(target->logp_grad(Vec::Constant(target->dim(), 1e200), grad).ok) << name;
    auto& model = dynamic_cast<FiniteSum&>(*target);
    grad.setZero();
    EXPECT_FALSE(model.add_range(Vec::Constant(model.dim(), std::nan("")), 0, 2, 1, grad, Want::gradient).ok) << name;
  }
}

// U = sum log(1 + e^z) - y z + b'b / 200 at a point computed independently.
TEST(Logistic, MicroOracle) {
  const Table table{"memory", {"a", "b", "y"}, Mat{{1, 2, 1}, {-1, 0.5, 0}, {0.5, -1.5, 1}}, {}};
  const auto target = logistic(table, {{"standardize", "false"}});
  Vec grad(3);
  EXPECT_NEAR(target->logp_grad(Vec{{0, 0.3, -0.2}}, grad).logp, -1.751310858471, 1e-12);
  EXPECT_NEAR(grad[1], 1.1179719104, 1e-10);
  EXPECT_NEAR(grad[2], 0.2672610559, 1e-10);
}

TEST(Logistic, IsStableFarFromTheData) {
  const Table table{"memory", {"a", "y"}, Mat{{1, 1}, {2, 0}}, {}};
  const auto target = logistic(table, {{"standardize", "false"}});
  Vec grad(2);
  for (const double b : {-1e4, -800.0, 800.0, 1e4}) {
    const Eval at = target->logp_grad(Vec{{0, b}}, grad);
    const double wrong_by = b > 0 ? 2 * b : -b;  // the misclassified row's |z|; the other costs nothing
    EXPECT_TRUE(at.ok);
    EXPECT_NEAR(at.logp, -wrong_by - b * b / 200, 1e-9 * wrong_by);
    EXPECT_NEAR(grad[1], (b > 0 ? -2 : 1) - b / 100, 1e-9);
  }
}

TEST(Logistic, StandardisedAndOriginalScaleGiveTheSamePredictions) {
  const Table table = make_table(50, 3, true);
  const Design design(table, {}, Design::Response::binary);
  const Vec b{{0.3, -1, 0.5, 2}};
  Vec original(4);
  design.to_original(b, original);
  const Vec from_table = (table.values.leftCols(3) * original.tail(3)).array() + original[0];
  EXPECT_LT((design.x() * b - from_table).norm(), 1e-12);
  for (Index j = 1; j < 4; ++j) {
    EXPECT_NEAR(design.x().col(j).mean(), 0, 1e-14);
    EXPECT_NEAR(design.x().col(j).squaredNorm() / 50, 1, 1e-13);  // population standard deviation
  }
}

TEST(Logistic, CoefficientsCarryTheNamesOfTheirColumns) {
  const auto target = logistic(make_table(20, 3, true), {{"target", "y"}});
  const Layout layout = target->layout();
  ASSERT_EQ(layout.variables.size(), 2u);
  EXPECT_EQ(layout.variables[0].name, "intercept");
  EXPECT_TRUE(layout.variables[0].shape.empty());
  EXPECT_EQ(layout.variables[1].name, "beta");
  EXPECT_EQ(layout.variables[1].dims, std::vector<std::string>{"predictor"});
  EXPECT_EQ(layout.coords.at("predictor"), (std::vector<std::string>{"x1", "x2", "x3"}));
}

// Scaled but not shifted: the same linear predictor on both scales, and the density of a table with a column less.
TEST(Logistic, WithoutAnIntercept) {
  const Table table = make_table(50, 3, true);
  const Design design(table, {.intercept = false}, Design::Response::binary);
  const Vec b{{-1, 0.5, 2}};
  Vec original(3), again(3);
  design.to_original(b, original);
  design.to_standardized(original, again);
  EXPECT_LT((design.x() * b - table.values.leftCols(3) * original).norm(), 1e-12);
  EXPECT_LT((again - b).norm(), 1e-14);
  const auto target = logistic(table, {{"intercept", "false"}, {"standardize", "false"}});
  ASSERT_EQ(target->layout().variables.size(), 1u);
  EXPECT_EQ(target->layout().variables[0].name, "beta");
  const auto with = logistic(table, {{"standardize", "false"}});
  EXPECT_NEAR(logp(*target, b), logp(*with, Vec{{0, -1, 0.5, 2}}), 1e-11);
}

TEST(Logistic, TheTargetNeedNotBeTheLastColumn) {
  const Table last = make_table(20, 2, true);
  Table moved = last;
  moved.names = {"y", "x1", "x2"};
  moved.values << last.values.col(2), last.values.leftCols(2);
  const Vec x{{0.1, 0.2, -0.3}};
  EXPECT_DOUBLE_EQ(logp(*logistic(last), x), logp(*logistic(moved, {{"target", "y"}}), x));
}

// Linear regression, written once more from the densities of its definition, on the scale that is fitted.
TEST(Linear, HasTheDensityOfItsDefinition) {
  const Table table = make_table(20, 2, false);
  const auto target = linear(table, {{"prior_sd", "3"}, {"intercept_prior_sd", "2"}, {"scale_prior_sd", "0.7"}});
  const Design design(table, {}, Design::Response::number);
  const auto definition = [&](const Vec& x) {
    using boost::math::pdf;
    const double sigma = std::exp(x[3]);
    double sum = std::log(pdf(boost::math::normal(0, 0.7), sigma)) + x[3];
    sum += std::log(pdf(boost::math::normal(0, 2), x[0]));
    for (Index j = 1; j < 3; ++j) sum += std::log(pdf(boost::math::normal(0, 3), x[j]));
    const Vec mean = design.x() * x.head(3);
    for (Index i = 0; i < 20; ++i) sum += std::log(pdf(boost::math::normal(mean[i], sigma), design.y()[i]));
    return sum;
  };
  const Vec a{{0.2, -0.5, 1, -0.3}}, b{{-0.1, 0.7, 0.4, 0.5}};
  EXPECT_NEAR(logp(*target, a) - logp(*target, b), definition(a) - definition(b), 1e-11);
  EXPECT_NEAR(design.y().mean(), 0, 1e-14);
  EXPECT_NEAR(design.y().squaredNorm() / 20, 1, 1e-14);
}

TEST(Linear, ReportsOnTheOriginalScale) {
  const Table table = make_table(20, 2, false);
  const auto target = linear(table);
  const Design design(table, {}, Design::Response::number);
  const Vec x{{0.2, -0.5, 1, -0.3}};
  Vec values(4);
  target->constrain(x, values, Rng(1));
  const auto [mean, sd] = design.response_scale();
  const Vec from_table = (table.values.leftCols(2) * values.segment(1, 2)).array() + values[0];
  const Vec from_fit = mean + sd * (design.x() * x.head(3)).array();
  EXPECT_LT((from_table - from_fit).norm(), 1e-11);
  EXPECT_DOUBLE_EQ(values[3], sd * std::exp(-0.3));
  EXPECT_EQ(target->layout().variables.back().name, "sigma");
  values[3] = 0;
  Vec back(4);
  EXPECT_THROW(target->unconstrain(values, back), UsageError);
}

// log posterior = log Gamma(tau) + log N(mu | tau) + constant, in either coordinate.
TEST(Normal, HasItsExactPosterior) {
  const Table table = make_table(30, 1, false);
  const Vec y = table.values.col(1);
  const double n = 30, squares = (y.array() - y.mean()).square().sum();
  for (const double degrees : {1.0, 4.0}) {
    const double shape = (n + degrees - 1) / 2, rate = (squares + 1 / 2.5) / 2;
    const auto exact = [&](double mu, double tau) {
      return std::log(boost::math::pdf(boost::math::gamma_distribution(shape, 1 / rate), tau)) +
             std::log(boost::math::pdf(boost::math::normal(y.mean(), 1 / std::sqrt(n * tau)), mu));
    };
    const Settings prior = {{"prior_degrees", std::to_string(degrees)}, {"prior_scale", "2.5"}};
    Settings natural_prior = prior;
    natural_prior["coordinates"] = "natural";
    const auto natural = normal(table, natural_prior), unconstrained = normal(table, prior);
    const double tau1 = n / squares, tau2 = 1.5 * n / squares, mu1 = y.mean() + 0.3, mu2 = y.mean() - 1;
    const double expected = exact(mu1, tau1) - exact(mu2, tau2);
    EXPECT_NEAR(logp(*natural, Vec{{mu1, tau1}}) - logp(*natural, Vec{{mu2, tau2}}), expected, 1e-10);
    EXPECT_NEAR(logp(*unconstrained, Vec{{mu1, std::log(tau1)}}) - logp(*unconstrained, Vec{{mu2, std::log(tau2)}}),
                expected + std::log(tau1 / tau2), 1e-10);
  }
}

TEST(Normal, DrawsFollowItsPosterior) {
  constexpr int draws = 20000;
  Table table = make_table(30, 1, false);
  table.values /= 20;  // so that the prior's share of the rate can be seen
  const Vec y = table.values.col(1);
  const double squares = (y.array() - y.mean()).square().sum();
  const boost::math::gamma_distribution tau_law(15.0, 2 / (squares + 1));
  for (const std::string coordinates : {"unconstrained", "natural"}) {
    const auto target = normal(table, {{"coordinates", coordinates}});
    const auto& law = dynamic_cast<const ExactLaw&>(*target);
    const Moments moments = law.moments();
    Mat x(2, draws);
    for (int i = 0; i < draws; ++i) law.draw(Rng(31).at(static_cast<std::uint64_t>(i)), x.col(i));
    for (Index i = 0; i < 2; ++i) {
      const Eigen::ArrayXd deviation = x.row(i).transpose().array() - moments.mean[i];
      const Eigen::ArrayXd square = deviation.square();
      const double limit = test::z_threshold(alpha), root_n = std::sqrt(static_cast<double>(draws));
      EXPECT_LT(std::fabs(deviation.mean()) / std::sqrt(moments.variance[i]) * root_n, limit) << coordinates;
      const double sd = std::sqrt((square - square.mean()).square().mean());
      EXPECT_LT(std::fabs(square.mean() - moments.variance[i]) / sd * root_n, limit) << coordinates;
    }
    Eigen::ArrayXd tau = x.row(1).transpose();
    if (coordinates == "unconstrained") tau = tau.exp();
    Eigen::ArrayXd z = (x.row(0).transpose().array() - y.mean()) * (30 * tau).sqrt();
    std::sort(tau.begin(), tau.end());
    std::sort(z.begin(), z.end());
    const auto size = static_cast<std::size_t>(draws);
    EXPECT_GT(test::ks_p_value({tau.data(), size}, [&](double t) { return boost::math::cdf(tau_law, t); }), alpha);
    EXPECT_GT(test::ks_p_value({z.data(), size}, [](double t) { return boost::math::cdf(boost::math::normal(), t); }),
              alpha);
  }
}

TEST(Normal, NaturalCoordinatesStateTheirSupport) {
  const Table table = make_table(30, 1, false);
  EXPECT_TRUE(normal(table)->support().empty());
  const auto natural = normal(table, {{"coordinates", "natural"}});
  ASSERT_EQ(natural->support().size(), 2u);
  EXPECT_EQ(natural->support()[1].lo, 0);
  Vec grad(2);
  EXPECT_FALSE(natural->logp_grad(Vec{{0, -0.1}}, grad).ok);
  EXPECT_FALSE(natural->logp_grad(Vec{{0, 0}}, grad).ok);
  Vec x(2);
  EXPECT_THROW(natural->unconstrain(Vec{{0, -1}}, x), UsageError);
}

TEST(PriorOnly, LeavesOutTheData) {
  const Table table = make_table(20, 2, true);
  const auto prior = without_likelihood(logistic(table));
  const Vec x{{1, -2, 3}};
  Vec grad(3);
  EXPECT_NEAR(prior->logp_grad(x, grad).logp, -14.0 / 200, 1e-15);
  EXPECT_LT((grad + x / 100).norm(), 1e-15);
  EXPECT_EQ(logp(*prior->fork(), x), logp(*prior, x));
  EXPECT_EQ(prior->layout().coords.at("predictor").size(), 2u);
  Vec values(3), back(3);
  prior->constrain(x, values, Rng(1));
  prior->unconstrain(values, back);
  EXPECT_LT((back - x).norm(), 1e-13);
}

TEST(PriorOnly, NeedsALikelihoodToLeaveOut) {
  EXPECT_THROW(without_likelihood(std::make_unique<QuarticProduct>("t", 1, 1, 1)), UsageError);
}

}  // namespace
}  // namespace quasar
