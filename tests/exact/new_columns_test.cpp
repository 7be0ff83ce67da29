// Which columns of a table in memory a fitted model takes, and what is said of predictions in every front end.
#include <gtest/gtest.h>

#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <quasar/errors.hpp>

#include "front/prediction_report.hpp"
#include "front/read_data.hpp"
#include "models/regression/formula.hpp"
#include "support/error_message.hpp"

namespace quasar {
namespace {

using test::error_message;
using Names = std::vector<std::string>;

ConstantData kept_of_a_regression() {
  Formula formula{
      .response = {}, .intercept = true, .target = {"died", {"no", "yes"}}, .group = {}, .columns = {}, .terms = {}};
  formula.columns = {{"age"}, {"sex", {"f", "m"}}};
  formula.group = FormulaColumn{"site", {"7", "8"}};
  formula.terms = {{0}, {1}};
  ConstantData kept;
  formula.keep_in(kept);
  return kept;
}

ConstantData kept_of_ratings() {
  ConstantData kept;
  kept.attributes = {{"user_column", "guest"}, {"item_column", "dish"}, {"rating_column", "stars"}};
  return kept;
}

TEST(NewColumns, OfARegressionByWhatTheyHold) {
  const NewColumns found = columns_of_new_rows("data", {"note", "died", "site", "sex", "age"}, kept_of_a_regression());
  EXPECT_EQ(found.numbers, Names{"age"});
  EXPECT_EQ(found.labels, (Names{"sex", "site", "died"}));
  EXPECT_EQ(found.response, "died");
}

TEST(NewColumns, TheResponseNeedNotBeThere) {
  const NewColumns found = columns_of_new_rows("data", {"site", "sex", "age"}, kept_of_a_regression());
  EXPECT_EQ(found.labels, (Names{"sex", "site"}));
  EXPECT_EQ(columns_of_new_rows("data", {"dish", "guest"}, kept_of_ratings()).numbers, Names{});
}

TEST(NewColumns, OfRatingsInTheOrderInWhichTheyAreRead) {
  const NewColumns found = columns_of_new_rows("data", {"stars", "dish", "when", "guest"}, kept_of_ratings());
  EXPECT_EQ(found.labels, (Names{"guest", "dish"}));
  EXPECT_EQ(found.numbers, Names{"stars"});
  EXPECT_EQ(found.response, "stars");
}

TEST(NewColumns, OthersAreRequired) {
  EXPECT_EQ(error_message<DataError>([] {
              columns_of_new_rows("data", {"age", "sex"}, kept_of_a_regression());
            }),
            "data: there is no column 'site', which the model was fitted to: there are 'age', 'sex'");
  EXPECT_EQ(error_message<DataError>([] {
              columns_of_new_rows("rated", {"guest", "stars"}, kept_of_ratings());
            }),
            "rated: there is no column 'dish', which the model was fitted to: there are 'guest', 'stars'");
}

struct NoDraws final : DrawSource {
  Index chains() const override { return 1; }
  bool has(Phase) const override { return false; }
  Index draws(Phase) const override { return 0; }
  void read(const DrawSlab&, std::span<double>) const override {}
};

struct TwoRows final : Predictor {
  explicit TwoRows(std::vector<std::string> labels = {}) : labels_(std::move(labels)) {}
  std::unique_ptr<Predictor> fork() const override { return std::make_unique<TwoRows>(*this); }
  Index rows() const override { return 2; }
  std::span<const std::string> classes() const override { return labels_; }
  std::span<const double> observed() const override { return {}; }
  void take(std::span<const double>, const Rng&) override {}
  void predict(Index, Eigen::Ref<Mat>) override {}
  void log_density(Index, Out) override {}
  void replicate(Index, Out) override {}

 private:
  std::vector<std::string> labels_;
};

class Report : public testing::Test {
 protected:
  Report() {
    run_.info.model = "linear";
    run_.source = std::make_shared<NoDraws>();
    summary_.draws = 100;
    summary_.scores.rows = 2;
    summary_.scores.rmse = 0.5;
  }
  PredictionReport on(const Predictor& rows, Settings given = {}) const {
    return {run_, rows, summary_, "new.csv", std::move(given), names_};
  }

  quasar::Run run_;
  PredictionSummary summary_;
  RowNames names_;
};

TEST_F(Report, NothingToWarnOf) {
  EXPECT_EQ(on(TwoRows()).warnings(), Names{});
  EXPECT_EQ(on(TwoRows()).to_json().dump(),
            R"({"model":"linear","rows":2,"draws":100,"scores":{"rmse":0.5},"warnings":[]})");
}

TEST_F(Report, RowsAreCountedAsTheFrontEndCounts) {
  summary_.not_finite = 2;
  summary_.first_not_finite = 1;
  const TwoRows rows;
  PredictionReport report = on(rows);
  EXPECT_EQ(report.warnings().front().substr(0, 32), "new.csv: row 2 and 1 more are pr");
  report.counts_from_0 = true;
  EXPECT_EQ(report.warnings().front().substr(0, 32), "new.csv: row 1 and 1 more are pr");
  names_.numbers = {3, 8};
  EXPECT_EQ(on(rows).warnings().front().substr(0, 32), "new.csv: row 8 and 1 more are pr");
}

TEST_F(Report, NoScoresWhereARowHasNoPrediction) {
  summary_.scores.unpredicted = 1;
  EXPECT_TRUE(on(TwoRows()).to_json()["scores"].is_null());
}

TEST_F(Report, IntervalsOfClassesAndOfFewDraws) {
  const TwoRows classes({"a", "b"});
  summary_.draws = 19;
  EXPECT_EQ(on(TwoRows()).warnings(), Names{"coverage is not known by fewer than 20 draws"});
  EXPECT_EQ(on(classes).warnings(), Names{});
  EXPECT_EQ(on(classes, {{"interval", "0.5"}}).warnings().size(), 1U);
}

}  // namespace
}  // namespace quasar
