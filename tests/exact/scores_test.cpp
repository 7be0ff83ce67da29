// Scores of predictions against cases worked out by hand.
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <string>

#include "predict/scorer.hpp"

namespace quasar {
namespace {

void add_class(Scorer& scorer, double p, Index observed) {
  scorer.add_class(Vec{{1 - p, p}}, observed, std::log(observed == 1 ? p : 1 - p));
}

TEST(Scores, OfFourRowsOfTwoClasses) {
  Scorer scorer;
  add_class(scorer, 0.1, 0);
  add_class(scorer, 0.4, 1);
  add_class(scorer, 0.8, 1);
  add_class(scorer, 0.7, 0);
  const Scores scores = scorer.result();
  EXPECT_EQ(scores.rows, 4);
  EXPECT_NEAR(scores.log_score, std::log(0.9 * 0.4 * 0.8 * 0.3) / 4, 1e-15);
  EXPECT_EQ(scores.accuracy, 0.5);
  EXPECT_EQ(scores.error, 0.5);
  EXPECT_NEAR(scores.brier, (2 * 0.01 + 2 * 0.36 + 2 * 0.04 + 2 * 0.49) / 4, 1e-15);
  EXPECT_NEAR(scores.calibration_error, (0.1 + 0.6 + 0.2 + 0.7) / 4, 1e-15);  // four bins
}

TEST(Scores, BrierScoreOfThreeClassesSumsOverAllOfThem) {
  Scorer scorer;
  scorer.add_class(Vec{{0.5, 0.3, 0.2}}, 1, std::log(0.3));
  EXPECT_NEAR(scorer.result().brier, 0.25 + 0.49 + 0.04, 1e-15);
  EXPECT_EQ(scorer.result().error, 1);
}

// 0.9 and 0.92 are in the bin (13/15, 14/15], 0.94 in the next: inside a bin, rows that are right make up for others.
TEST(Scores, CalibrationIsComparedInsideBinsOfAFifteenth) {
  Scorer together, apart;
  add_class(together, 0.9, 1);
  add_class(together, 0.92, 0);
  add_class(apart, 0.9, 1);
  add_class(apart, 0.94, 0);
  EXPECT_NEAR(together.result().calibration_error, std::abs(1 - 1.82) / 2, 1e-15);
  EXPECT_NEAR(apart.result().calibration_error, (0.1 + 0.94) / 2, 1e-15);
}

TEST(Scores, ABinEndsAtItsUpperEdge) {
  Scorer scorer;
  add_class(scorer, 0.8, 1);   // = 12/15, in the bin that ends there
  add_class(scorer, 0.75, 0);  // in the same one
  EXPECT_NEAR(scorer.result().calibration_error, std::abs(1 - 1.55) / 2, 1e-15);
}

TEST(Scores, CertaintyIsInTheLastBinAndAnImpossibleObservationCostsEverything) {
  Scorer scorer;
  add_class(scorer, 1, 1);
  EXPECT_EQ(scorer.result().calibration_error, 0);
  EXPECT_EQ(scorer.result().log_score, 0);
  add_class(scorer, 1, 0);
  EXPECT_EQ(scorer.result().log_score, -INFINITY);
  EXPECT_EQ(scorer.result().brier, 1);
}

TEST(Scores, OfNumbers) {
  Scorer scorer;
  scorer.add_number({1, 2, 0.4, 0.4}, -1.5);
  scorer.add_number({0, -2, 0.1, 0.1}, -3);
  const Scores scores = scorer.result();
  EXPECT_EQ(scores.rmse, std::sqrt(2.5));
  EXPECT_EQ(scores.mae, 1.5);
  EXPECT_EQ(scores.log_score, -2.25);
  EXPECT_EQ(scores.coverage_50, 0.5);
  EXPECT_EQ(scores.coverage_90, 1);
  EXPECT_TRUE(std::isnan(scores.accuracy));
}

// y is inside [q_a, q_{1-a}] when F(y) >= a and F(y-) <= 1 - a: what is discrete has y at both ends.
TEST(Scores, CoverageCountsTheEndsOfTheInterval) {
  const auto covered = [](double below, double not_above) {
    Scorer scorer;
    scorer.add_number({0, 0, below, not_above}, 0);
    return scorer.result().coverage_50;
  };
  EXPECT_EQ(covered(0.25, 0.25), 1);
  EXPECT_EQ(covered(0.75, 0.75), 1);
  EXPECT_EQ(covered(0.24, 0.24), 0);
  EXPECT_EQ(covered(0.76, 0.76), 0);
  EXPECT_EQ(covered(0, 0.3), 1);
  EXPECT_EQ(covered(0.7, 1), 1);
}

TEST(Scores, AreNoneWhereAPredictionIsNaN) {
  Scorer classes, numbers;
  add_class(classes, 0.9, 1);
  add_class(classes, NAN, 0);
  numbers.add_number({1, 1, 0.5, 0.5}, -1);
  numbers.add_number({NAN, 1, 0.5, 0.5}, -1);
  numbers.add_number({1, 1, 0.5, 0.5}, NAN);
  EXPECT_EQ(classes.result().rows, 2);
  EXPECT_EQ(classes.result().unpredicted, 1);
  EXPECT_EQ(numbers.result().rows, 3);
  EXPECT_EQ(numbers.result().unpredicted, 2);
  for (const Scorer* scorer : {&classes, &numbers}) {
    for_each_score(scorer->result(), [&](std::string_view name, double) { ADD_FAILURE() << name; });
  }
}

TEST(Scores, OnlyThoseThatThereAreAreListed) {
  Scorer scorer;
  scorer.add_number({0, 1, Scores::none, Scores::none}, -1);
  std::map<std::string, double> found;
  for_each_score(scorer.result(), [&](std::string_view name, double value) { found[std::string(name)] = value; });
  EXPECT_EQ(found, (std::map<std::string, double>{{"log_score", -1}, {"mae", 1}, {"rmse", 1}}));
  for_each_score(Scorer().result(), [&](std::string_view name, double) { ADD_FAILURE() << name; });
}

}  // namespace
}  // namespace quasar
