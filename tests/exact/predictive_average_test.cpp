// Averages of predictions over draws that are not kept.
#include "predict/predictive_average.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>
#include <vector>

#include <quasar/fields.hpp>
#include <quasar/rng.hpp>

#include "support/predictors.hpp"
#include "support/statistics.hpp"

namespace quasar {
namespace {

using test::Coin;
using test::Ramp;
using Values = std::vector<double>;

PredictiveAverage coin() { return PredictiveAverage(std::make_unique<Coin>(Values{1, 0})); }
PredictiveAverage ramp(Values observed) { return PredictiveAverage(std::make_unique<Ramp>(std::move(observed))); }

TEST(PredictiveAverage, AveragesProbabilitiesAndNotTheirLogarithms) {
  PredictiveAverage average = coin();
  average.add(Values{0.9}, Rng(1));
  average.add(Values{0.2}, Rng(2));
  EXPECT_EQ(average.draws(), 2);
  EXPECT_NEAR(average.rows().mean()(0, 1), 0.55, 1e-15);
  EXPECT_NEAR(average.rows().sd()(0, 1), 0.7 / std::sqrt(2), 1e-15);
  EXPECT_NEAR(average.scores().log_score, (std::log(0.55) + std::log(0.45)) / 2, 1e-15);
  EXPECT_NEAR(average.last().log_score, (std::log(0.2) + std::log(0.8)) / 2, 1e-15);
  EXPECT_EQ(average.scores().error, 0.5);
  EXPECT_EQ(average.last().accuracy, 0.5);
}

TEST(PredictiveAverage, OfNumbersHasTheTotalVariance) {
  PredictiveAverage average = ramp({0, 0});
  average.add(Values{1, 2}, Rng(1));
  average.add(Values{3, 4}, Rng(2));
  EXPECT_NEAR(average.rows().mean()(0, 0), 2, 1e-15);
  EXPECT_NEAR(average.rows().mean()(1, 0), 2.1, 1e-15);
  EXPECT_NEAR(average.rows().sd()(0, 0), std::sqrt((4 + 16) / 2 + 2), 1e-15);  // E[sd^2] + Var[1, 3]
  EXPECT_NEAR(average.scores().mae, 2.05, 1e-15);
  EXPECT_NEAR(average.last().rmse, std::sqrt((9 + 3.1 * 3.1) / 2), 1e-15);
  EXPECT_TRUE(std::isnan(average.last().coverage_90));
}

// Densities e^-5000 and e^-5001, up to the same factor, are zero as numbers.
TEST(PredictiveAverage, DensitiesThatUnderflowAreAveragedStill) {
  PredictiveAverage average = ramp({0});
  const double constant = std::log(std::sqrt(2 * std::numbers::pi));
  average.add(Values{100, 1}, Rng(1));
  average.add(Values{std::sqrt(10002.0), 1}, Rng(2));
  EXPECT_NEAR(average.scores().log_score, -5000 - constant + std::log((1 + std::exp(-1.0)) / 2), 1e-9);
}

// An average with one infinite number is infinite, whatever comes before and after it.
TEST(PredictiveAverage, OneDrawThatOverflowsMakesTheMeanInfinite) {
  for (const double wild : {std::numeric_limits<double>::infinity(), 1e308}) {
    PredictiveAverage average = ramp({0.5, 2});
    for (const double mu : {0.0, 1.0, wild, 2.0, wild, 3.0}) average.add(Values{mu, 1}, Rng(1));
    EXPECT_EQ(average.rows().mean()(1, 0), INFINITY);
    EXPECT_EQ(average.rows().sd()(1, 0), INFINITY);
    EXPECT_EQ(average.scores().rmse, INFINITY);
    EXPECT_TRUE(std::isfinite(average.scores().log_score));  // the other draws have a density
    PredictiveAverage other = ramp({0.5, 2});
    other.add(Values{-INFINITY, 1}, Rng(1));
    average.merge(other);
    EXPECT_TRUE(std::isnan(average.rows().mean()(1, 0)));
    EXPECT_EQ(average.scores().unpredicted, 2);
  }
}

TEST(PredictiveAverage, OneDrawThatIsNaNLeavesNoScores) {
  PredictiveAverage numbers = ramp({0.5, 2}), classes = coin();
  for (const double value : Values{0.25, NAN, 0.75}) {
    numbers.add(Values{value, 1}, Rng(1));
    classes.add(Values{value}, Rng(1));
  }
  for (const PredictiveAverage* average : {&numbers, &classes}) {
    EXPECT_TRUE(std::isnan(average->rows().mean()(0, 0)));
    EXPECT_TRUE(std::isnan(average->rows().log_density()[0]));
    EXPECT_EQ(average->scores().unpredicted, 2);
    EXPECT_TRUE(std::isnan(average->scores().log_score));
  }
}

TEST(PredictiveAverage, RowsWhoseResponseIsUnknownAreNotScored) {
  PredictiveAverage some = ramp({0.5, NAN, 2}), known = ramp({0.5});
  PredictiveAverage classes(std::make_unique<Coin>(Values{1, NAN})), one(std::make_unique<Coin>(Values{1}));
  for (std::uint64_t i = 0; i < 30; ++i) {
    const Values draw = {std::sin(static_cast<double>(i)), 1};
    some.add(draw, Rng(3).at(i));
    known.add(draw, Rng(3).at(i));
    classes.add(Values{0.75}, Rng(3).at(i));
    one.add(Values{0.75}, Rng(3).at(i));
  }
  EXPECT_EQ(some.scores().rows, 2);
  EXPECT_EQ(some.scores().unpredicted, 0);
  EXPECT_EQ(some.last().rows, 2);
  EXPECT_TRUE(std::isnan(some.rows().log_density()[1]));
  EXPECT_EQ(some.rows().log_density()[0], known.rows().log_density()[0]);
  EXPECT_EQ(classes.scores().log_score, one.scores().log_score);
  EXPECT_EQ(classes.scores().accuracy, 1);
  EXPECT_EQ(classes.last().rows, 1);
}

TEST(PredictiveAverage, TwentyDrawsHaveACoverage) {
  PredictiveAverage average = ramp({0.5, 2});
  for (std::uint64_t i = 0; i < 19; ++i) average.add(Values{0, 1}, Rng(3).at(i));
  EXPECT_TRUE(std::isnan(average.scores().coverage_90));
  average.add(Values{0, 1}, Rng(3).at(19));
  EXPECT_FALSE(std::isnan(average.scores().coverage_90));
}

TEST(PredictiveAverage, OfTwoChainsIsThatOfAllTheirDraws) {
  PredictiveAverage first = ramp({0.3, -1, 2}), second = ramp({0.3, -1, 2}), all = ramp({0.3, -1, 2});
  for (int i = 0; i < 21; ++i) {
    const Values draw = {std::sin(i), 1.0 + i % 3};
    (i < 3 ? first : second).add(draw, Rng(1).at(static_cast<std::uint64_t>(i)));
    all.add(draw, Rng(1).at(static_cast<std::uint64_t>(i)));
  }
  first.merge(second);
  EXPECT_EQ(first.draws(), 21);
  EXPECT_LT((first.rows().mean() - all.rows().mean()).norm(), 1e-14);
  EXPECT_LT((first.rows().sd() - all.rows().sd()).norm(), 1e-14);
  EXPECT_NEAR(first.scores().log_score, all.scores().log_score, 1e-14);
  EXPECT_EQ(first.scores().coverage_50, all.scores().coverage_50);
}

TEST(PredictiveAverage, MergedIntoNothingIsItself) {
  PredictiveAverage none = coin(), one = coin();
  one.add(Values{0.9}, Rng(1));
  one.add(Values{0.2}, Rng(2));
  none.merge(one);
  EXPECT_EQ(none.rows().mean(), one.rows().mean());
  EXPECT_EQ(none.rows().sd(), one.rows().sd());
  EXPECT_EQ(none.scores().log_score, one.scores().log_score);
}

TEST(PredictiveAverage, GoesOnFromWhatWasSaved) {
  PredictiveAverage whole = ramp({0.5, 2}), before = ramp({0.5, 2}), after = ramp({0.5, 2});
  const Values draws[] = {{0, 1}, {1, 2}, {-1, 0.5}};
  for (const Values& draw : draws) whole.add(draw, Rng(3));
  before.add(draws[0], Rng(3));
  before.add(draws[1], Rng(3));
  Writer out;
  out("average", before);
  Reader in(out.bytes());
  in("average", after);
  after.add(draws[2], Rng(3));
  for (std::uint64_t i = 0; i < 20; ++i) {  // enough for an interval
    whole.add(draws[0], Rng(4).at(i));
    after.add(draws[0], Rng(4).at(i));
  }
  EXPECT_EQ(after.rows().mean(), whole.rows().mean());
  EXPECT_EQ(after.rows().sd(), whole.rows().sd());
  EXPECT_EQ(after.rows().log_density(), whole.rows().log_density());
  EXPECT_EQ(after.scores().coverage_90, whole.scores().coverage_90);
}

// 4000 rows from the law that predicts them. Among 400 replicates an observation has 401 places, all of them equally
// probable: 201 of them are inside the interval of level 0.5, 361 inside that of 0.9. Two assertions.
TEST(PredictiveAverage, IntervalsCoverWhatTheirLevelSays) {
  constexpr Index rows = 4000;
  constexpr int draws = 400;
  Values observed;
  Stream truth = Rng(17).stream("truth");
  for (Index i = 0; i < rows; ++i) observed.push_back(static_cast<double>(i) / 10 + truth.normal());
  PredictiveAverage average = ramp(observed);
  for (std::uint64_t i = 0; i < draws; ++i) average.add(Values{0, 1}, Rng(18).at(i));
  const auto z = [](double share, double places) {
    const double p = places / (draws + 1);
    return (share - p) / std::sqrt(p * (1 - p) / rows);
  };
  const double threshold = test::z_threshold(test::per_assertion(test::family_alpha, 2));
  EXPECT_LT(std::abs(z(average.scores().coverage_50, 201)), threshold);
  EXPECT_LT(std::abs(z(average.scores().coverage_90, 361)), threshold);
}

}  // namespace
}  // namespace quasar
