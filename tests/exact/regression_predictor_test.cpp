// What fitted regressions say of rows: against their definitions, their own likelihood and their replicates.
#include <boost/math/distributions/negative_binomial.hpp>
#include <boost/math/distributions/normal.hpp>
#include <boost/math/distributions/poisson.hpp>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <set>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include <quasar/errors.hpp>

#include "support/regression.hpp"
#include "support/statistics.hpp"

namespace quasar {
namespace {

using boost::math::pdf;
using test::make_table_for, test::predictor, test::regression;

constexpr int assertions = 200;  // upper bound of the statistical assertions of this file
const double alpha = test::per_assertion(test::family_alpha, assertions);
const double limit = test::z_threshold(alpha);

constexpr Index groups = 3;
const Settings grouped = {{"group", "g"}, {"prior", "horseshoe"}};  // every kind of variable in the layout

// A model on 40 rows in groups, and one draw of it.
struct Fitted {
  std::string model;
  Table table = make_table_for(model, 40, 2, groups);
  std::unique_ptr<FiniteSum> target = regression(model, table, grouped);
  ConstantData kept = target->constant_data();
  Index outputs = model == "softmax" ? 2 : 1;
  Vec x = Vec::LinSpaced(target->dim(), -0.6, 0.5), draw = values(x);

  explicit Fitted(std::string name) : model(std::move(name)) {}

  Vec values(const Vec& at) const {
    Vec all(target->layout().size());
    target->constrain(at, all, Rng(1));
    return all;
  }
  double value(const std::string& name, Index element = 0) const {
    Index begin = 0;
    for (const Variable& variable : target->layout().variables) {
      if (variable.name == name) return draw[begin + element];
      begin += variable.size();
    }
    throw std::invalid_argument(name);
  }
  // On the original scale, from the values that are reported alone.
  Vec linear_predictors(const Table& rows, Index i) const {
    Vec z(outputs);
    for (Index k = 0; k < outputs; ++k) {
      z[k] = value("intercept", k) + value("group_effect", groups * k + static_cast<Index>(rows.values(i, 0))) +
             rows.values(i, 1) * value("beta", 2 * k) + rows.values(i, 2) * value("beta", 2 * k + 1);
    }
    return z;
  }
  // Mean and sd, or the probabilities of the classes.
  Vec expected(const Table& rows, Index i) const {
    const Vec z = linear_predictors(rows, i);
    const double mean = std::exp(z[0]);
    if (model == "linear") return Vec{{z[0], value("sigma")}};
    if (model == "logistic") return Vec{{1 / (1 + mean), mean / (1 + mean)}};
    if (model == "poisson") return Vec{{mean, std::sqrt(mean)}};
    if (model == "negative-binomial") return Vec{{mean, std::sqrt(mean + std::pow(mean * value("overdispersion"), 2))}};
    const Vec weights{{1, std::exp(z[0]), std::exp(z[1])}};
    return weights / weights.sum();
  }
  double density(const Table& rows, Index i) const {
    const Vec at = expected(rows, i);
    const double y = rows.values(i, 3);
    if (model == "linear") return pdf(boost::math::normal(at[0], at[1]), y);
    if (model == "poisson") return pdf(boost::math::poisson(at[0]), y);
    if (model != "negative-binomial") return at[static_cast<Index>(y)];
    const double d = std::pow(value("overdispersion"), -2);
    return pdf(boost::math::negative_binomial(d, d / (d + at[0])), y);
  }
};

std::span<const double> numbers(const Vec& v) { return {v.data(), static_cast<std::size_t>(v.size())}; }

std::unique_ptr<Predictor> taken(const Fitted& fit, const Table& rows, const Rng& rng = Rng(3)) {
  auto made = predictor(fit.model, fit.kept, rows, grouped);
  made->take(numbers(fit.draw), rng);
  return made;
}

TEST(RegressionPredictor, PredictsWhatTheDrawSays) {
  for (const std::string& model : test::regression_models) {
    const Fitted fit(model);
    const auto rows = taken(fit, fit.table);
    Mat out(40, prediction_columns(*rows));
    rows->predict(0, out);
    for (Index i = 0; i < 40; ++i) {
      EXPECT_LT((out.row(i).transpose() - fit.expected(fit.table, i)).norm(), 1e-12 * out.row(i).norm()) << model << i;
    }
    Mat part(7, out.cols());
    rows->predict(20, part);
    EXPECT_EQ(part, out.middleRows(20, 7)) << model;
  }
}

TEST(RegressionPredictor, HasTheDensitiesOfItsLaw) {
  for (const std::string& model : test::regression_models) {
    const Fitted fit(model);
    const auto rows = taken(fit, fit.table);
    Vec out(40);
    rows->log_density(0, out);
    for (Index i = 0; i < 40; ++i) {
      EXPECT_NEAR(out[i], std::log(fit.density(fit.table, i)), 1e-11 * std::max(1.0, std::fabs(out[i]))) << model << i;
    }
  }
}

// The two say the same of a change of draw; constants may differ.
TEST(RegressionPredictor, AgreesWithTheLikelihoodThatWasFitted) {
  for (const std::string& model : test::regression_models) {
    Fitted fit(model);
    Vec grad(fit.x.size()), out(40);
    const auto both = [&](const Vec& x) {
      fit.draw = fit.values(x);
      taken(fit, fit.table)->log_density(0, out);
      return Vec{{fit.target->add_range(x, 0, 40, 1, grad, Want::both).logp, out.sum()}};
    };
    const Vec difference = both(fit.x) - both(-0.5 * fit.x);
    EXPECT_NEAR(difference[0], difference[1], 1e-11 * std::max(1.0, std::fabs(out.sum()))) << model;
  }
}

TEST(RegressionPredictor, ReplicatesHaveThePredictedMoments) {
  constexpr int draws = 20000;
  for (const std::string& model : test::regression_models) {
    const Fitted fit(model);
    const auto rows = taken(fit, fit.table);
    constexpr Index at = 11;
    const Vec expected = fit.expected(fit.table, at);
    Vec one(1), found(draws);
    for (int i = 0; i < draws; ++i) {
      rows->take(numbers(fit.draw), Rng(5).at(static_cast<std::uint64_t>(i)));
      rows->replicate(at, one);
      found[i] = one[0];
    }
    if (!rows->classes().empty()) {
      Vec counts = Vec::Zero(expected.size());
      for (const double y : found) counts[static_cast<Index>(y)] += 1;
      const Vec means = draws * expected;
      const auto classes = static_cast<std::size_t>(expected.size());
      EXPECT_GT(test::goodness_of_fit_p_value({counts.data(), classes}, {means.data(), classes}), alpha) << model;
      continue;
    }
    const Eigen::ArrayXd t = (found.array() - expected[0]) / expected[1];
    EXPECT_LT(std::fabs(t.mean()) * std::sqrt(draws), limit) << model;
    const double spread = std::sqrt((t.square() - t.square().mean()).square().mean());
    EXPECT_LT(std::fabs(t.square().mean() - 1) / spread * std::sqrt(draws), limit) << model;
  }
}

TEST(RegressionPredictor, AReplicateIsNamedByItsRow) {
  for (const std::string& model : test::regression_models) {
    const Fitted fit(model);
    const auto rows = taken(fit, fit.table);
    Vec all(40), part(9);
    rows->replicate(0, all);
    rows->fork()->replicate(13, part);
    EXPECT_EQ(part, all.segment(13, 9)) << model;
    rows->take(numbers(fit.draw), Rng(4));
    rows->replicate(0, part);
    EXPECT_NE(part, all.head(9)) << model;
  }
}

TEST(RegressionPredictor, RowsHaveRandomNumbersOfTheirOwn) {
  const Fitted fit("linear");
  Vec replicates(40);
  taken(fit, fit.table)->replicate(0, replicates);
  std::set<double> noise;
  for (Index i = 0; i < 40; ++i) noise.insert(std::round(1e9 * (replicates[i] - fit.expected(fit.table, i)[0])));
  EXPECT_EQ(noise.size(), 40u);
}

TEST(RegressionPredictor, KnowsWhatWasObserved) {
  for (const std::string& model : test::regression_models) {
    const Fitted fit(model);
    const auto rows = predictor(model, fit.kept, fit.table, grouped);
    ASSERT_EQ(rows->observed().size(), 40u) << model;
    for (Index i = 0; i < 40; ++i) {
      const double y = fit.table.values(i, 3);
      EXPECT_NEAR(rows->observed()[static_cast<std::size_t>(i)], y, 1e-14 * std::fabs(y)) << model;
    }
    EXPECT_EQ(std::ssize(rows->classes()), model == "softmax" ? 3 : model == "logistic" ? 2 : 0);
  }
}

// Columns in another order, one more of them, and no response.
TEST(RegressionPredictor, TakesNewRowsByTheNamesOfTheirColumns) {
  for (const std::string& model : test::regression_models) {
    const Fitted fit(model);
    Table moved{"new.csv", {"x2", "other", "g", "x1"}, Mat(40, 4), {}};
    moved.values << fit.table.values.col(2), fit.table.values.col(3), fit.table.values.col(0), fit.table.values.col(1);
    const auto there = taken(fit, fit.table), here = taken(fit, moved);
    Mat expected(40, prediction_columns(*there)), out = expected;
    there->predict(0, expected);
    here->predict(0, out);
    EXPECT_EQ(out, expected) << model;
    EXPECT_TRUE(here->observed().empty());
  }
}

// A group that was never seen: N(0, group_sd^2), the same for all of its rows and wherever they stand.
TEST(RegressionPredictor, DrawsTheEffectsOfNewGroups) {
  constexpr int draws = 4000;
  const Fitted fit("poisson");
  Table rows = fit.table;
  for (Index i = 0; i < 40; ++i) rows.values(i, 0) = i % 2 == 0 ? 7 : 5;
  Table reversed = rows;
  reversed.values = rows.values.colwise().reverse();
  const auto made = taken(fit, rows), back = taken(fit, reversed);
  Table known = rows;
  known.values.col(0).setZero();
  Mat out(40, 2), other(40, 2), without(40, 2);
  taken(fit, known)->predict(0, without);
  without.col(0) = without.col(0).array().log() - fit.value("group_effect", 0);
  double sum = 0, squares = 0, products = 0;
  for (int i = 0; i < draws; ++i) {
    const Rng rng = Rng(6).at(static_cast<std::uint64_t>(i));
    made->take(numbers(fit.draw), rng);
    made->predict(0, out);
    const Eigen::ArrayXd effects = (out.col(0).array().log() - without.col(0).array()) / fit.value("group_sd");
    ASSERT_LT((effects(Eigen::seq(0, 39, 2)) - effects[0]).matrix().norm(), 1e-12);
    ASSERT_LT((effects(Eigen::seq(1, 39, 2)) - effects[1]).matrix().norm(), 1e-12);
    sum += effects[0] + effects[1];
    squares += effects[0] * effects[0] + effects[1] * effects[1];
    products += effects[0] * effects[1];
    if (i > 0) continue;
    back->take(numbers(fit.draw), rng);
    back->predict(0, other);
    EXPECT_LT((other.colwise().reverse() - out).norm(), 1e-12 * out.norm());
  }
  EXPECT_LT(std::fabs(products) / std::sqrt(draws), limit);  // groups are independent
  EXPECT_LT(std::fabs(sum) / std::sqrt(2.0 * draws), limit);
  EXPECT_LT(std::fabs(squares - 2.0 * draws) / std::sqrt(4.0 * draws), limit);  // the variance of a square is 2
}

// Each block of rows draws what it needs, not the effects of all new groups.
TEST(RegressionPredictor, TheEffectOfANewGroupDoesNotDependOnTheRowsThatAreAsked) {
  for (const std::string model : {"linear", "softmax"}) {
    const Fitted fit(model);
    Table rows = fit.table;
    for (Index i = 0; i < 40; ++i) rows.values(i, 0) = static_cast<double>(i / 2);
    const auto all = taken(fit, rows), some = taken(fit, rows);
    Mat whole(40, prediction_columns(*all)), part(3, whole.cols());
    all->predict(0, whole);
    for (const Index begin : {37, 20, 19, 1}) {
      some->predict(begin, part);
      EXPECT_EQ(part, whole.middleRows(begin, 3)) << model << begin;
    }
    some->take(numbers(fit.draw), Rng(4));
    some->predict(37, part);
    EXPECT_NE(part, whole.middleRows(37, 3)) << model;
  }
}

TEST(RegressionPredictor, ARowWithoutAResponseHasNoDensity) {
  for (const std::string& model : test::regression_models) {
    const Fitted fit(model);
    Table rows = fit.table;
    rows.values(3, 3) = std::numeric_limits<double>::quiet_NaN();
    const auto made = taken(fit, rows), whole = taken(fit, fit.table);
    Vec out(40), expected(40);
    made->log_density(0, out);
    whole->log_density(0, expected);
    EXPECT_TRUE(std::isnan(out[3]) && std::isnan(made->observed()[3])) << model;
    EXPECT_EQ(out.tail(36), expected.tail(36)) << model;
  }
}

// exp(710) overflows: means are infinite then, and replicates too, but nothing fails.
TEST(RegressionPredictor, LivesWithMeansBeyondAllCounts) {
  for (const std::string model : {"poisson", "negative-binomial"}) {
    const Table table = make_table_for(model, 20, 1);
    const auto target = regression(model, table);
    const auto rows = predictor(model, target->constant_data(), table);
    Vec draw = Vec::Ones(target->layout().size()), out(20);
    for (const double intercept : {40.0, 300.0, 900.0}) {
      draw[0] = intercept;
      draw[1] = 0;
      rows->take(numbers(draw), Rng(1));
      rows->replicate(0, out);
      for (const double y : out) EXPECT_GT(y, 0) << model << " " << intercept;
    }
  }
}

TEST(RegressionPredictor, RefusesARunOfAnotherModel) {
  const Fitted counts("poisson"), classes("softmax"), binary("logistic");
  EXPECT_THROW(predictor("softmax", counts.kept, counts.table), DataError);
  EXPECT_THROW(predictor("logistic", classes.kept, classes.table), DataError);
  EXPECT_THROW(predictor("poisson", binary.kept, binary.table), DataError);
}

TEST(RegressionPredictor, RefusesADrawOfAnotherModel) {
  const Fitted fit("linear");
  const auto rows = predictor("linear", fit.kept, fit.table, grouped);
  EXPECT_THROW(rows->take(numbers(fit.draw).first(4), Rng(1)), std::invalid_argument);
}

}  // namespace
}  // namespace quasar
