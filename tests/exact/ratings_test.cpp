// Ratings made of tables: labels, pairs that are rated twice, scales, what is refused.
#include "models/factorization/ratings.hpp"

#include <gtest/gtest.h>

#include <quasar/errors.hpp>

#include "support/error_message.hpp"
#include "support/factorizations.hpp"

namespace quasar {
namespace {

using test::bpmf_config;

Table table_of(const Mat& values) {
  Table table{"ratings.csv", {"who", "what", "how"}, values, {}};
  for (Index row = 0; row < values.rows(); ++row) table.lines.push_back(2 * row + 2);
  return table;
}

Mat some_values() {
  Mat values(5, 3);
  values << 7, 1e9, 4,  //
      -2, 3, 1,         //
      7, 3, 5,          //
      10, 1e9, 2,       //
      -2, 1e9, 3;
  return values;
}

std::vector<double> original_values(const Ratings& ratings) {
  std::vector<double> values;
  for (const Rating& one : ratings.all) values.push_back(ratings.center + ratings.scale * one.value);
  return values;
}

TEST(Ratings, NumbersAreLabelsInTheirOrder) {
  const auto ratings = make_ratings(table_of(some_values()), bpmf_config());
  EXPECT_EQ(ratings->users, (std::vector<std::string>{"-2", "7", "10"}));
  EXPECT_EQ(ratings->items, (std::vector<std::string>{"3", "1000000000"}));
  EXPECT_EQ(ratings->all[0].user, 1);
  EXPECT_EQ(ratings->all[0].item, 1);
  EXPECT_EQ(ratings->by_user.begin, (std::vector<Index>{0, 2, 4, 5}));
  EXPECT_EQ(ratings->by_user.other, (std::vector<std::int32_t>{0, 1, 1, 0, 1}));
  EXPECT_EQ(ratings->by_item.begin, (std::vector<Index>{0, 2, 5}));
  EXPECT_EQ(ratings->by_item.other, (std::vector<std::int32_t>{0, 1, 1, 2, 0}));
  EXPECT_EQ(ratings->by_item.value[1], ratings->all[2].value);
}

TEST(Ratings, LabelsThatDoNotOccurAreLeftOut) {
  Table table = table_of(some_values());
  table.values.col(0) << 3, 0, 3, 1, 0;
  table.values.col(1) << 1, 0, 0, 1, 1;
  table.levels = {{"b", "a", "unused", "10"}, {"10", "9"}, {}};
  const auto ratings = make_ratings(table, bpmf_config());
  EXPECT_EQ(ratings->users, (std::vector<std::string>{"10", "a", "b"}));  // by the alphabet: not all are numbers
  EXPECT_EQ(ratings->items, (std::vector<std::string>{"9", "10"}));
  EXPECT_EQ(ratings->all[0].user, 0);
  EXPECT_EQ(ratings->all[0].item, 0);
  EXPECT_EQ(ratings->all[1].user, 2);
}

TEST(Ratings, AreCentredAndScaled) {
  const Table table = table_of(some_values());
  const std::vector<std::pair<std::string, double>> scales{{"range", 4}, {"standardize", std::sqrt(2)}, {"raw", 1}};
  for (const auto& [scaling, scale] : scales) {
    const auto ratings = make_ratings(table, bpmf_config({{"scaling", scaling}}));
    EXPECT_EQ(ratings->center, 3);
    EXPECT_DOUBLE_EQ(ratings->scale, scale);
    EXPECT_DOUBLE_EQ(ratings->all[2].value, 2 / scale);
  }
  Table equal = table;
  equal.values.col(2).setConstant(0.1);
  for (const char* scaling : {"range", "standardize"}) {
    const auto ratings = make_ratings(equal, bpmf_config({{"scaling", scaling}}));
    EXPECT_EQ(ratings->scale, 1);
    EXPECT_NEAR(ratings->all[0].value, 0, 1e-15);
  }
}

Table with_duplicates() {
  Mat values(6, 3);
  values << 1, 1, 4,  //
      1, 2, 1,        //
      2, 1, 5,        //
      1, 1, 2,        //
      2, 2, 2,        //
      1, 1, 3;
  return table_of(values);
}

TEST(Ratings, DuplicatesAreSettled) {
  const auto values = [](const char* how) {
    return original_values(*make_ratings(with_duplicates(), bpmf_config({{"duplicates", how}, {"scaling", "raw"}})));
  };
  EXPECT_EQ(values("keep").size(), 6U);
  const std::vector<double> mean{3, 1, 5, 2}, last{1, 5, 2, 3};
  ASSERT_EQ(values("mean").size(), 4U);
  ASSERT_EQ(values("last").size(), 4U);
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_NEAR(values("mean")[i], mean[i], 1e-14);
    EXPECT_NEAR(values("last")[i], last[i], 1e-14);
  }
}

TEST(Ratings, DuplicatesAreAnErrorThatNamesBothLines) {
  const std::string message = test::error_message<DataError>([] { make_ratings(with_duplicates(), bpmf_config()); });
  EXPECT_NE(message.find("ratings.csv:8: "), std::string::npos) << message;
  EXPECT_NE(message.find("at line 2"), std::string::npos) << message;
  EXPECT_NE(message.find("who '1' has rated what '1' before"), std::string::npos) << message;
  EXPECT_NE(message.find("model.duplicates=last"), std::string::npos) << message;
}

TEST(Ratings, ColumnsByName) {
  Table table = table_of(some_values());
  const auto columns = [&](const Settings& settings) { return rating_columns(table, bpmf_config(settings)); };
  EXPECT_EQ(columns({{"user", "what"}, {"item", "who"}}).user, 1);
  EXPECT_EQ(columns({{"user", "what"}, {"item", "who"}}).rating, 2);
  EXPECT_THROW(columns({{"user", "what"}}), UsageError);
  EXPECT_THROW(columns({{"rating", "nothing"}}), UsageError);
  table.names.pop_back();
  table.values.conservativeResize(5, 2);
  EXPECT_THROW(columns({}), DataError);
}

TEST(Ratings, ColumnsByTheirUsualNames) {
  Table table{"ratings.csv", {"rating", "user", "item"}, Mat(1, 3), {2}};
  table.values << 5, 7, 1;
  const auto ratings = make_ratings(table, bpmf_config());
  EXPECT_EQ(ratings->users, (std::vector<std::string>{"7"}));
  EXPECT_EQ(ratings->center, 5);
  table.names = {"rating", "x", "x"};
  EXPECT_THROW(make_ratings(table, bpmf_config({{"user", "x"}})), UsageError);
}

TEST(Ratings, RefusedWhereDoublePrecisionDoesNotHoldThem) {
  const auto fit = [](double factor, const std::string& scaling) {
    Table table = table_of(some_values());
    table.values.col(2) = (table.values.col(2).array() - 3) * factor;
    make_ratings(table, bpmf_config({{"scaling", scaling}}));
  };
  for (const std::string scaling : {"range", "standardize", "raw"}) {
    EXPECT_NO_THROW(fit(1e50, scaling)) << scaling;
    const std::string message = test::error_message<DataError>([&] { fit(8e307, scaling); });
    EXPECT_NE(message.find("ratings.csv: ratings from -1.6e+308"), std::string::npos) << message;
  }
  EXPECT_THROW(fit(1e-200, "standardize"), DataError);
  EXPECT_NO_THROW(fit(1e-200, "range"));
}

TEST(Ratings, WhatIsNoRatingIsRefused) {
  EXPECT_THROW(make_ratings(table_of(Mat(0, 3)), bpmf_config()), DataError);
  Table table = table_of(some_values());
  table.levels = {{}, {}, {"bad", "good", "a", "b", "c", "d"}};
  EXPECT_THROW(make_ratings(table, bpmf_config()), DataError);
  table = table_of(some_values());
  table.values(2, 0) = std::nan("");
  EXPECT_THROW(make_ratings(table, bpmf_config()), DataError);
}

TEST(Ratings, KeepWhatPredictionsNeed) {
  const auto ratings = make_ratings(table_of(some_values()), bpmf_config());
  const ConstantData kept = ratings->constant_data();
  Vec expected(7);
  expected << 2, 2, 1, 2, 3, 3, 4;
  EXPECT_EQ(kept.values, expected);
  EXPECT_EQ(kept.layout.coords.at("item"), ratings->items);
  EXPECT_EQ(kept.attributes.at("rating_column"), "how");
}

}  // namespace
}  // namespace quasar
