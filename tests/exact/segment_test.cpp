// quasar segment behind its door: every method on series whose answer is known, units, numbering, windows, refusals.
#include "front/segment.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include <quasar/errors.hpp>
#include <quasar/rng.hpp>

#include "front/segment_picture.hpp"
#include "front/segment_report.hpp"
#include "front/series.hpp"
#include "plot/svg.hpp"

namespace quasar {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

SegmentSettings settings_of(const Settings& given) {
  return segment_settings(Config("segment", segment_params(), given), given);
}

double wiggle(Index t) { return 0.3 * std::sin(12.9898 * static_cast<double>(t * t)); }

// 10 five times long, 20, 10 again, 30: three states, four stretches of 40 points.
Sequences levels() {
  Sequences data{Mat(1, 160)};
  const double level[] = {10, 20, 10, 30};
  for (Index t = 0; t < 160; ++t) data.values(0, t) = level[t / 40] + wiggle(t);
  return data;
}

Path path_of_levels() {
  Path path;
  for (const int state : {0, 1, 0, 2}) path.insert(path.end(), 40, state);
  return path;
}

SeriesTable table_of(Sequences data) {
  SeriesTable series{.source = "x.csv", .columns = {}, .data = std::move(data)};
  for (Index c = 0; c < series.data.dim(); ++c) series.columns.push_back(c == 0 ? "x" : "y");
  for (Index t = 0; t < series.data.size(); ++t) series.rows.push_back(t + 1);
  return series;
}

TEST(Segment, EveryMethodFindsTheStretches) {
  for (const Settings& given : std::vector<Settings>{{},
                                                     {{"method", "asymp-hmm"}, {"states", "3"}},
                                                     {{"method", "hmm-em"}, {"states", "3"}},
                                                     {{"method", "hmm-em"}, {"states", "3"}, {"covariance", "full"}},
                                                     {{"method", "ihmm-beam"}, {"warmup", "200"}, {"sweeps", "50"}}}) {
    const Segmentation found = segment(levels(), settings_of(given));
    const std::string what = given.contains("method") ? given.at("method") : "asymp-ihmm";
    EXPECT_EQ(found.model.states, path_of_levels()) << what;
    ASSERT_EQ(found.states(), 3) << what;
    ASSERT_EQ(found.segments.size(), 4U) << what;
    EXPECT_EQ(found.segments[2].first, 80) << what;
    EXPECT_EQ(found.segments[2].last, 119) << what;
    EXPECT_EQ(found.segments[2].state, 0) << what;
    EXPECT_NEAR(found.model.centres(0, 0), 10, 0.1) << what;
    EXPECT_NEAR(found.model.centres(0, 2), 30, 0.1) << what;
    EXPECT_NEAR(std::sqrt(found.model.variances(0, 1)), 0.2, 0.05) << what;
    EXPECT_NEAR(found.forecasts.at(0).mean(0, 0), 30, 0.5) << what;  // nothing was seen to leave the last state
  }
}

// Penalties of a long series are chosen by parts of it, but every point counts in the answer.
TEST(Segment, LongSeriesAreSegmentedToTheirEnd) {
  Sequences data{Mat(1, 25'000)};
  Path path;
  for (Index t = 0; t < data.size(); ++t) {
    path.push_back(static_cast<int>(t / 1700 % 3));
    data.values(0, t) = 10 * path.back() + wiggle(t);
  }
  data.values.col(24'500).setConstant(nan);
  const Segmentation found = segment(data, settings_of({}));
  EXPECT_EQ(found.model.states, path);
  EXPECT_EQ(found.segments.back().last, 24'999);
}

TEST(Segment, StatesAreNumberedAsTheyAppear) {
  for (const char* seed : {"1", "2", "3", "4", "5", "6"}) {
    EXPECT_EQ(segment(levels(), settings_of({{"method", "hmm-em"}, {"states", "3"}, {"seed", seed}})).model.states,
              path_of_levels());
  }
}

TEST(Segment, TheBeamSaysHowSureItIs) {
  const Segmentation found =
      segment(levels(), settings_of({{"method", "ihmm-beam"}, {"warmup", "200"}, {"sweeps", "50"}}));
  EXPECT_NEAR(found.states_probability.sum(), 1, 1e-12);
  EXPECT_GT(found.states_probability[2], 0.5);
  EXPECT_GT(found.change_probability[40], 0.95);
  EXPECT_LT(found.change_probability.segment(45, 30).maxCoeff(), 0.2);
}

// A chain that starts from random states is held up by states that take turns; these levels are 5 sd apart.
TEST(Segment, TheBeamKeepsToTheLevelsThatThereAre) {
  Sequences data{Mat(1, 600)};
  Stream draws = Rng(3).stream("levels");
  for (Index t = 0; t < 600; ++t) data.values(0, t) = 5 * static_cast<double>(t / 100 % 3) + draws.normal();
  for (const char* seed : {"1", "2", "3"}) {
    const Segmentation found =
        segment(data, settings_of({{"method", "ihmm-beam"}, {"warmup", "50"}, {"sweeps", "100"}, {"seed", seed}}));
    EXPECT_GT(found.states_probability[2], 0.5);
    EXPECT_EQ(found.segments.size(), 6U);
    ASSERT_TRUE(found.rhat);
    EXPECT_NEAR(found.forecasts[0].mean(0, 0), 10, 0.5);
    EXPECT_NEAR(found.forecasts[0].sd(0, 0), 1, 0.8);
  }
}

TEST(Segment, UnitsOfColumnsDoNotMatterWhereThereAreSeveral) {
  Sequences data{Mat(2, 160)};
  data.values.row(0) = levels().values.row(0);
  for (Index t = 0; t < 160; ++t) data.values(1, t) = (t / 40 == 1 ? 2 : 5) + 0.1 * wiggle(t + 1000);
  Sequences scaled = data;
  scaled.values.row(1) = 1e6 * data.values.row(1).array() + 5e8;
  const Segmentation one = segment(data, settings_of({})), other = segment(scaled, settings_of({}));
  EXPECT_TRUE(one.standardized);
  EXPECT_EQ(one.model.states, path_of_levels());
  EXPECT_EQ(other.model.states, path_of_levels());
  EXPECT_NEAR(other.model.centres(1, 0), 1e6 * one.model.centres(1, 0) + 5e8, 1);
  EXPECT_NEAR(other.model.variances(1, 0), 1e12 * one.model.variances(1, 0), 1e6);
  EXPECT_NEAR(other.forecasts[0].mean(1, 0), 1e6 * one.forecasts[0].mean(1, 0) + 5e8, 1);
  EXPECT_FALSE(segment(data, settings_of({{"standardize", "no"}})).standardized);
}

TEST(Segment, GapsAndSeveralSequences) {
  Sequences data = levels();
  for (const Index t : {7, 8, 50, 100}) data.values(0, t) = nan;
  data.starts = {0, 80};
  const Segmentation found = segment(data, settings_of({}));
  EXPECT_EQ(found.model.states, path_of_levels());
  ASSERT_EQ(found.segments.size(), 4U);
  EXPECT_EQ(found.segments[2].sequence, 1);
  ASSERT_EQ(found.forecasts.size(), 2U);
  EXPECT_NEAR(found.forecasts[0].mean(0, 0), 20, 1);
}

TEST(Segment, WindowsAreJudgedBesideTrivialForecasts) {
  Sequences data{Mat(1, 9)};
  data.values << 1, 1, 5, 5, 1, 1, 0, 5, nan;
  const Segmentation found = segment(data, settings_of({{"method", "asymp-hmm"}, {"states", "2"}, {"window", "4"}}));
  ASSERT_TRUE(found.windows);
  const RollingForecast& rolling = found.windows->forecasts;
  EXPECT_EQ(rolling.points, (std::vector<Index>{4, 5, 6, 7, 8}));
  const ForecastError &last = found.windows->errors[1], &mean = found.windows->errors[2];
  EXPECT_EQ(last.name, "last value");
  // last values 5, 1, 1, 0 for 1, 1, 0, 5; window means 3, 3, 3, 7/4
  EXPECT_NEAR(last.rmse[0], std::sqrt((16 + 0 + 1 + 25) / 4.0), 1e-12);
  EXPECT_NEAR(last.mape[0], 100 * (4 + 0 + 1) / 3.0, 1e-12);
  EXPECT_NEAR(mean.rmse[0], std::sqrt((4 + 4 + 9 + 3.25 * 3.25) / 4), 1e-12);
  EXPECT_NEAR(mean.mape[0], 100 * (2 + 2 + 0.65) / 3, 1e-12);
  const SeriesTable series = table_of(data);
  const SegmentSettings settings = settings_of({{"method", "asymp-hmm"}, {"states", "2"}, {"window", "4"}});
  EXPECT_NE(SegmentReport({series, settings, found}).text().find("window mean"), std::string::npos);
  EXPECT_THROW(segment(data, settings_of({{"window", "9"}})), UsageError);
}

// In units of standard deviations 0 would come back as 1e-17, and a relative error as 1e17.
TEST(Segment, ErrorsOfWindowsLeaveOutZerosAndWhatNobodyKnows) {
  Sequences data{Mat(2, 24)};
  for (Index t = 0; t < 24; ++t) data.values.col(t) << 0.1 * static_cast<double>(t * t % 7), 3.3 + wiggle(t);
  data.values.row(1).segment(10, 5).setConstant(nan);
  const Segmentation found = segment(data, settings_of({{"method", "hmm-em"}, {"states", "2"}, {"window", "4"}}));
  for (const ForecastError& error : found.windows->errors) {
    EXPECT_LT(error.mape[0], 1e4) << error.name;
    EXPECT_LT(error.mape[1], 50) << error.name;
  }
  EXPECT_TRUE(std::isnan(found.windows->forecasts.predicted(1, 10)));  // of point 14, by 10 to 13
  EXPECT_EQ(found.windows->forecasts.actual(0, 3), 0);
}

TEST(Segment, LikelihoodsAreThoseOfTheData) {
  Sequences data{Mat(2, 160)};
  data.values << levels().values, 1000 * levels().values;
  const Settings given = {{"method", "hmm-em"}, {"states", "3"}, {"covariance", "full"}, {"seed", "2"}};
  for (Index t = 0; t < 160; ++t) data.values(1, t) += 1000 * wiggle(t + 500);
  const Segmentation in_sds = segment(data, settings_of(given));
  Settings as_they_are = given;
  as_they_are["standardize"] = "no";
  EXPECT_TRUE(in_sds.standardized);
  EXPECT_NEAR(*in_sds.log_likelihood, *segment(data, settings_of(as_they_are)).log_likelihood, 1);
}

TEST(Segment, DegenerateSeriesHaveOneState) {
  for (const Sequences& data :
       std::vector<Sequences>{{Mat::Constant(1, 1, 7.0)}, {Mat::Constant(1, 50, 7.0)}, {Mat::Constant(2, 50, 7.0)}}) {
    const Segmentation found = segment(data, settings_of({}));
    EXPECT_EQ(found.states(), 1);
    EXPECT_EQ(found.segments.size(), 1U);
    EXPECT_EQ(found.forecasts[0].mean(0, 0), 7);
    EXPECT_EQ(found.forecasts[0].sd(0, 0), 0);
  }
  EXPECT_THROW(segment({Mat::Constant(1, 3, 7.0)}, settings_of({{"method", "asymp-hmm"}, {"states", "4"}})),
               UsageError);
}

TEST(Segment, CountsAndCategories) {
  Sequences counts{Mat(1, 160)};
  for (Index t = 0; t < 160; ++t) counts.values(0, t) = static_cast<double>(t / 40 % 2 == 0 ? 2 + t % 3 : 40 + t % 7);
  const Segmentation found = segment(counts, settings_of({{"emission", "poisson"}}));
  EXPECT_EQ(found.states(), 2);
  EXPECT_EQ(found.segments.size(), 4U);
  Sequences labels{Mat::Zero(3, 160)};
  for (Index t = 0; t < 160; ++t) labels.values(t / 80 == 0 ? t % 2 : 2, t) = 1;
  const Segmentation of_labels =
      segment(labels, settings_of({{"emission", "categorical"}, {"method", "hmm-em"}, {"states", "2"}}));
  EXPECT_NEAR(of_labels.forecasts[0].mean(2, 0), 1, 0.05);
}

TEST(Segment, WhatAMethodDoesNotTakeIsRefusedByName) {
  const auto message = [](const Settings& given) -> std::string {
    try {
      (void)settings_of(given);
    } catch (const UsageError& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_NE(message({{"states", "3"}}).find("--states is not for asymp-ihmm"), std::string::npos);
  EXPECT_NE(message({{"method", "hmm-em"}}).find("needs --states"), std::string::npos);
  EXPECT_NE(message({{"method", "ihmm-beam"}, {"lambda", "1"}}).find("--lambda is not for ihmm-beam"),
            std::string::npos);
  EXPECT_NE(message({{"method", "ihmm-beam"}, {"standardize", "no"}}).find("--standardize is not for"),
            std::string::npos);
  EXPECT_NE(message({{"sweeps", "10"}}).find("--sweeps is not for asymp-ihmm"), std::string::npos);
  EXPECT_NE(message({{"lambda", "-1"}}).find("at least 0"), std::string::npos);
  EXPECT_NE(message({{"emission", "poisson"}, {"standardize", "yes"}}).find("normal"), std::string::npos);
  EXPECT_EQ(message({{"lambda", "0.5"}, {"lambda1", "2"}}), "");
}

TEST(Segment, GivenPenaltiesFixTheirAxisOfTheGrid) {
  const Segmentation found = segment(levels(), settings_of({{"lambda", "0.25"}, {"lambda2", "3"}}));
  EXPECT_EQ(found.penalties->lambda, 0.25);
  EXPECT_EQ(found.penalties->lambda2, 3);
  for (const TriedPenalties& one : found.tried) EXPECT_EQ(one.penalties.lambda, 0.25);
  EXPECT_GT(found.tried.size(), 1U);
}

TEST(Segment, PicturesHaveEveryStateAndTheForecast) {
  SeriesTable series = table_of(levels());
  series.source = "<b>.csv";
  const SegmentSettings settings = settings_of({{"ahead", "5"}});
  const Segmentation found = segment(series.data, settings);
  const Figure figure = picture_of(series, settings, found);
  ASSERT_EQ(figure.panels.size(), 1U);
  EXPECT_EQ(figure.panels[0].bands.size(), 4U);
  const std::string page = page_of(figure, SegmentReport{series, settings, found}.text());
  EXPECT_EQ(page.find("<b>"), std::string::npos);
  EXPECT_NE(page.find(">state 3</text>"), std::string::npos);
  EXPECT_NE(page.find(">forecast</text>"), std::string::npos);
}

TEST(Segment, JsonHasAllNumbersCountedFromOne) {
  const SeriesTable series = table_of(levels());
  const SegmentSettings settings = settings_of({{"ahead", "2"}});
  const Segmentation found = segment(series.data, settings);
  const auto json = SegmentReport{series, settings, found}.to_json();
  EXPECT_EQ(json["state_of_row"].size(), 160U);
  EXPECT_EQ(json["state_of_row"][159], 3);
  EXPECT_EQ(json["segments"][1]["first"], 41);
  EXPECT_EQ(json["states"][0]["visits"], 2);
  EXPECT_EQ(json["states"][0]["mean_stay"], 40);
  EXPECT_EQ(json["forecasts"][0]["mean"].size(), 2U);
}

TEST(Segment, ValuesThatCannotBeAreNamed) {
  SeriesTable series = table_of({Mat::Constant(1, 3, 2.0)});
  series.data.values(0, 1) = 2.5;
  EXPECT_NO_THROW(check_series(series, Emission::normal));
  EXPECT_THROW(check_series(series, Emission::poisson), DataError);
  series.data.values(0, 1) = 1e308;
  EXPECT_THROW(check_series(series, Emission::normal), DataError);
  series.data.values.setConstant(nan);
  EXPECT_THROW(check_series(series, Emission::normal), DataError);
}

}  // namespace
}  // namespace quasar
