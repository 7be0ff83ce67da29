// Predictions by the draws of a run: the same for every number of threads and every size of a block.
#include "predict/posterior_predictions.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include <quasar/rng.hpp>

#include "io/predictions_csv.hpp"
#include "predict/chosen_draws.hpp"
#include "support/predictors.hpp"
#include "support/temp_folder.hpp"

namespace quasar {
namespace {

using test::Coin;
using test::Ramp;

RunData draws_of(std::vector<std::vector<double>> chains, Index width) {  // numbers draw after draw
  RunData run;
  for (auto& values : chains) {
    const Index draws = std::ssize(values) / width;
    run.sampling.push_back({draws, std::move(values), {}});
  }
  return run;
}

RunData ramps(Index draws) {
  std::vector<std::vector<double>> chains(2);
  for (std::size_t c = 0; c < 2; ++c) {
    for (Index d = 0; d < draws; ++d) {
      chains[c].push_back(std::sin(static_cast<double>(d) + 10.0 * static_cast<double>(c)));
      chains[c].push_back(1 + 0.01 * static_cast<double>(d % 7));
    }
  }
  return draws_of(chains, 2);
}

std::vector<PredictedBlock> predicted(const RunData& run, const Predictor& rows, const PredictionSettings& settings,
                                      PredictionSummary* summary = nullptr) {
  std::vector<PredictedBlock> blocks;
  const auto found =
      predict(*view_of(run), 2, rows, settings, [&](const PredictedBlock& block) { blocks.push_back(block); });
  if (summary) *summary = found;
  return blocks;
}

TEST(ChosenDraws, AreEvenlySpreadOverAllChains) {
  const RunData run = draws_of({{0, 1, 2, 3, 4}, {5, 6, 7, 8, 9}}, 1);
  const auto source = view_of(run);
  const auto chosen = [&](Index most) {
    std::vector<double> found;
    ChosenDraws(*source, 1, most).for_each_piece([&](Index first, const Mat& piece) {
      EXPECT_EQ(first, std::ssize(found));
      found.insert(found.end(), piece.data(), piece.data() + piece.size());
    });
    return found;
  };
  EXPECT_EQ(chosen(0), (std::vector<double>{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}));
  EXPECT_EQ(chosen(99), chosen(0));
  EXPECT_EQ(chosen(5), (std::vector<double>{1, 3, 5, 7, 9}));
  EXPECT_EQ(chosen(2), (std::vector<double>{2, 7}));
  EXPECT_EQ(chosen(1), (std::vector<double>{5}));
}

TEST(Predictions, QuantilesAreThoseOfOneReplicateForEachDraw) {
  const RunData run = ramps(15);
  const Ramp rows({}, 3);
  const auto blocks = predicted(run, rows, {.interval = 0.5, .seed = 9, .threads = 1});
  ASSERT_EQ(blocks.size(), 1U);
  const auto predictor = rows.fork();
  const Rng rng = Rng(9).child("predict");
  Mat replicates(30, 3);
  for (Index d = 0; d < 30; ++d) {
    const auto& chain = run.sampling[static_cast<std::size_t>(d / 15)];
    predictor->take({chain.values.data() + 2 * (d % 15), 2}, rng.at(static_cast<std::uint64_t>(d)));
    Vec replicate(3);
    predictor->replicate(0, replicate);
    replicates.row(d) = replicate.transpose();
  }
  for (Index i = 0; i < 3; ++i) {
    auto column = replicates.col(i);
    std::sort(column.begin(), column.end());
    // place 29 p: 7.25, 14.5, 21.75
    EXPECT_NEAR(blocks[0].quantiles(i, 0), column[7] + 0.25 * (column[8] - column[7]), 1e-14);
    EXPECT_NEAR(blocks[0].quantiles(i, 1), (column[14] + column[15]) / 2, 1e-14);
    EXPECT_NEAR(blocks[0].quantiles(i, 2), column[21] + 0.75 * (column[22] - column[21]), 1e-14);
  }
}

TEST(Predictions, AreTheSameForAnyNumberOfThreads) {
  const RunData run = ramps(40);
  const std::vector<double> observed(1000, 0.5);
  PredictionSummary one, four;
  const auto a = predicted(run, Ramp(observed), {.threads = 1}, &one);
  const auto b = predicted(run, Ramp(observed), {.threads = 4}, &four);
  ASSERT_EQ(a.size(), 4U);  // of 256 rows
  ASSERT_EQ(b.size(), 4U);
  for (std::size_t i = 0; i < a.size(); ++i) {
    EXPECT_EQ(a[i].begin, 256 * static_cast<Index>(i));
    EXPECT_EQ(a[i].mean, b[i].mean);
    EXPECT_EQ(a[i].sd, b[i].sd);
    EXPECT_EQ(a[i].quantiles, b[i].quantiles);
  }
  EXPECT_EQ(one.draws, 80);
  EXPECT_EQ(one.scores.rows, 1000);
  EXPECT_EQ(one.scores.log_score, four.scores.log_score);
}

TEST(Predictions, OfOneDrawHaveItsSd) {
  const auto blocks = predicted(ramps(40), Ramp({}, 1), {.most_draws = 1});
  EXPECT_EQ(blocks[0].sd(0, 0), 1 + 0.01 * (0 % 7));  // the first draw of the second chain
  EXPECT_EQ(blocks[0].quantiles(0, 0), blocks[0].quantiles(0, 2));
}

TEST(Predictions, WhereNothingWasObservedThereAreNoScores) {
  PredictionSummary summary;
  predicted(ramps(5), Ramp({}, 2), {}, &summary);
  EXPECT_EQ(summary.scores.rows, 0);
  EXPECT_TRUE(std::isnan(summary.scores.rmse));
}

TEST(Predictions, ThatAreInfiniteAreCountedAndHaveQuantiles) {
  PredictionSummary summary;
  const auto blocks =
      predicted(draws_of({{1, 0, INFINITY, 0, 3, 0, 4, 0}}, 2), Ramp({}, 2), {.interval = 0.5}, &summary);
  EXPECT_EQ(summary.not_finite, 2);
  EXPECT_EQ(summary.first_not_finite, 0);
  EXPECT_EQ(blocks[0].mean(0, 0), INFINITY);
  EXPECT_EQ(blocks[0].quantiles(0, 0), 2.5);
  EXPECT_EQ(blocks[0].quantiles(0, 1), 3.5);
  EXPECT_EQ(blocks[0].quantiles(0, 2), INFINITY);
  EXPECT_EQ(predicted(draws_of({{INFINITY, 1, INFINITY, 1}}, 2), Ramp({}, 1), {})[0].quantiles(0, 1), INFINITY);
}

TEST(Predictions, ThatAreNaNHaveNoQuantilesAndNoScores) {
  PredictionSummary summary;
  const auto blocks = predicted(draws_of({{1, 1, NAN, 1, 3, 1}}, 2), Ramp({1, 2}), {}, &summary);
  EXPECT_EQ(summary.not_finite, 2);
  EXPECT_EQ(summary.scores.unpredicted, 2);
  EXPECT_TRUE(blocks[0].mean.array().isNaN().all());
  EXPECT_TRUE(blocks[0].quantiles.array().isNaN().all());
}

class CountsForks final : public Predictor {
 public:
  CountsForks(std::atomic<int>& forks, Index rows) : forks_(forks), rows_({}, rows) {}
  std::unique_ptr<Predictor> fork() const override {
    ++forks_;
    return rows_.fork();
  }
  Index rows() const override { return rows_.rows(); }
  std::span<const double> observed() const override { return {}; }
  void take(std::span<const double>, const Rng&) override {}
  void predict(Index, Eigen::Ref<Mat>) override {}
  void log_density(Index, Out) override {}
  void replicate(Index, Out) override {}

 private:
  std::atomic<int>& forks_;
  Ramp rows_;
};

TEST(Predictions, AreMadeByNoMoreThreadsThanThereAreBlocks) {
  std::atomic<int> forks = 0;
  predicted(ramps(5), CountsForks(forks, 257), {.threads = 1000});
  EXPECT_EQ(forks, 2);  // 256 rows and one
}

std::string csv_of(const Predictor& rows, const RunData& run, Index width, const RowNames& names = {}) {
  test::TempFolder folder;
  TextOutput out(folder.file("p.csv"));
  PredictionsCsv csv(rows, names, 0.5, out);
  predict(*view_of(run), width, rows, {.interval = 0.5}, [&](const PredictedBlock& block) { csv.add(block); });
  out.finish();
  out.commit(IfExists::fail);
  std::ifstream in(folder.file("p.csv"));
  return {std::istreambuf_iterator<char>(in), {}};
}

TEST(PredictionsCsv, OfClassesNamesTheMostProbable) {
  EXPECT_EQ(csv_of(Coin({1, 0}), draws_of({{0.25, 0.5}}, 1), 1),
            "row,observed,predicted,probability[tails],probability[heads],sd[tails],sd[heads]\n"
            "1,heads,tails,0.625,0.375,0.1767766952966369,0.1767766952966369\n"
            "2,tails,tails,0.625,0.375,0.1767766952966369,0.1767766952966369\n");
}

TEST(PredictionsCsv, LabelsTellWhatARowIsAbout) {
  const RowNames names{{}, {{"user", {"ann", "Bo, B."}}, {"item", {"tea", "pie"}}}};
  const std::string csv = csv_of(Coin({1, 0}), draws_of({{0.25, 0.5}}, 1), 1, names);
  EXPECT_TRUE(csv.starts_with("row,user,item,observed,")) << csv;
  EXPECT_NE(csv.find("\n1,ann,tea,"), std::string::npos) << csv;
  EXPECT_NE(csv.find("\n2,\"Bo, B.\",pie,"), std::string::npos) << csv;
}

TEST(PredictionsCsv, RowsHaveTheirNumbersInTheSource) {
  const std::string csv = csv_of(Coin({1, 0}), draws_of({{0.25, 0.5}}, 1), 1, {{2, 7}, {}});
  EXPECT_NE(csv.find("\n2,heads,"), std::string::npos) << csv;
  EXPECT_NE(csv.find("\n7,tails,"), std::string::npos) << csv;
}

TEST(PredictionsCsv, WhatIsNotKnownIsEmpty) {
  EXPECT_EQ(csv_of(Coin({NAN, 0}), draws_of({{0.25, 0.25}}, 1), 1),
            "row,observed,predicted,probability[tails],probability[heads],sd[tails],sd[heads]\n"
            "1,,tails,0.75,0.25,0,0\n"
            "2,tails,tails,0.75,0.25,0,0\n");
  EXPECT_EQ(csv_of(Coin({1}), draws_of({{0.25, NAN}}, 1), 1),
            "row,observed,predicted,probability[tails],probability[heads],sd[tails],sd[heads]\n"
            "1,heads,,NaN,NaN,NaN,NaN\n");
  EXPECT_EQ(csv_of(Ramp({NAN}), draws_of({{1, 0, 3, 0}}, 2), 2),
            "row,observed,mean,sd,q25,q50,q75\n1,,2,1.4142135623730951,1.5,2,2.5\n");
}

TEST(PredictionsCsv, OfNumbersNamesTheQuantiles) {
  const std::string text = csv_of(Ramp({}, 1), draws_of({{1, 0, 3, 0}}, 2), 2);
  EXPECT_EQ(text, "row,mean,sd,q25,q50,q75\n1,2,1.4142135623730951,1.5,2,2.5\n");
}

}  // namespace
}  // namespace quasar
