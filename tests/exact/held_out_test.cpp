// Rows that are predicted while a run goes on, and the log likelihood of those that were fitted.
#include "predict/held_out.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <string>
#include <vector>

#include <quasar/registry.hpp>
#include <quasar/sample.hpp>

#include "io/durable_run.hpp"
#include "io/netcdf_file.hpp"
#include "io/run_file.hpp"
#include "support/breaks_down.hpp"
#include "support/error_message.hpp"
#include "support/predictors.hpp"
#include "support/temp_folder.hpp"

namespace quasar {
namespace {

using test::BreaksDown;
using test::Ramp;
using test::TempFolder;
constexpr std::int64_t unlimited = 1'000'000'000;
const std::vector<double> observed = {0.3, -1, 2, 0};

const SampleOptions options = {.chains = 2, .schedule = {60, 90, 3}, .seed = 5, .threads = 2, .save_warmup = true};

RunEnd run(const Durability& durability, std::int64_t evaluations = unlimited, const Predictor* fitted = nullptr) {
  const SamplerEntry& nuts = find_sampler("nuts");
  const BreaksDown target(evaluations);
  const Ramp rows(observed);
  RunInfo info;
  info.model = "skewed";
  info.held_out_hash = "some rows";
  return sample_durably({target, nuts, Config(nuts.name, nuts.params, {}), options, info, &rows, fitted}, durability,
                        {}, {});
}

RunData whole_run() {
  TempFolder folder;
  EXPECT_EQ(run({folder.file("run.nc")}), RunEnd::complete);
  return read_run(folder.file("run.nc"));
}

std::map<std::string, std::vector<double>> by_name(const ConstantData& data) {
  std::map<std::string, std::vector<double>> all;
  Index begin = 0;
  for (const Variable& variable : data.layout.variables) {
    const double* first = data.values.data() + begin;
    all[variable.name] = {first, first + variable.size()};
    begin += variable.size();
  }
  return all;
}

// The same averages from the draws that were kept.
PredictiveAverage average_of(const RunData& run, std::size_t chain) {
  PredictiveAverage average(std::make_unique<Ramp>(observed));
  const Rng rng = Rng(options.seed, chain).child("held_out").child("member", 0);
  for (Index d = 0; d < run.sampling[chain].draws; ++d) {
    const std::span<const double> draw(run.sampling[chain].values.data() + 3 * d, 3);
    average.add(draw, rng.at(static_cast<std::uint64_t>(60 + 3 * d)));
  }
  return average;
}

TEST(HeldOut, IsTheAverageOverEveryKeptDrawOfEveryChain) {
  const RunData run = whole_run();
  PredictiveAverage all = average_of(run, 0);
  all.merge(average_of(run, 1));
  auto found = by_name(run.held_out.predictions);
  EXPECT_EQ(found["draws"], std::vector<double>{60});
  EXPECT_EQ(found["observed"], observed);
  for (Index i = 0; i < 4; ++i) {
    const auto row = static_cast<std::size_t>(i);
    EXPECT_EQ(found["mean"][row], all.rows().mean()(i, 0));
    EXPECT_EQ(found["sd"][row], all.rows().sd()(i, 0));
    EXPECT_EQ(found["log_density"][row], all.rows().log_density()[i]);
    EXPECT_EQ(found["below"][row], all.rows().below()[i]);
    EXPECT_EQ(found["not_above"][row], all.rows().not_above()[i]);
  }
  const Scores scores = scores_of(run.held_out.predictions);
  EXPECT_EQ(scores.rows, 4);
  EXPECT_EQ(scores.log_score, all.scores().log_score);
  EXPECT_EQ(scores.coverage_90, all.scores().coverage_90);
  EXPECT_TRUE(std::isnan(scores.accuracy));
}

TEST(HeldOut, TheTraceTellsOfEveryKeptDraw) {
  const RunData run = whole_run();
  auto trace = by_name(run.held_out.trace);
  ASSERT_EQ(trace["rmse"].size(), 60U);
  for (std::size_t chain = 0; chain < 2; ++chain) {
    const std::size_t last = 30 * chain + 29;
    const PredictiveAverage average = average_of(run, chain);
    EXPECT_EQ(trace["iteration"][last], 60 + 3 * 29);
    EXPECT_EQ(trace["rmse"][last], average.scores().rmse);
    EXPECT_EQ(trace["log_score"][last], average.scores().log_score);
    EXPECT_EQ(trace["draw_rmse"][last], average.last().rmse);
    EXPECT_EQ(trace["draw_log_score"][last], average.last().log_score);
    EXPECT_LE(trace["seconds"][last - 1], trace["seconds"][last]);
  }
  // Every gradient is a pass over the data. Between two kept draws are those of the later one and of two more steps.
  EXPECT_LE(trace["passes"][29] + trace["passes"][59], static_cast<double>(run.info.gradient_evaluations));
  const Mat steps = statistic(run, "n_steps");
  for (Index chain = 0; chain < 2; ++chain) {
    for (Index d = 1; d < 30; ++d) {
      const auto at = static_cast<std::size_t>(30 * chain + d);
      EXPECT_GE(trace["passes"][at] - trace["passes"][at - 1], steps(d, chain) + 2);
    }
  }
}

TEST(HeldOut, BrokenOffAndResumedItIsTheSame) {
  const RunData whole = whole_run();
  for (std::int64_t part = 1; part < 8; part += 2) {
    TempFolder folder;
    test::error_message<RunError>([&] {
      run({folder.file("run.nc"), false, false, 7}, whole.info.gradient_evaluations * part / 8);
    });
    EXPECT_EQ(run({folder.file("run.nc"), true, false, 11}), RunEnd::complete);
    const RunData resumed = read_run(folder.file("run.nc"));
    EXPECT_EQ(resumed.held_out.predictions.values, whole.held_out.predictions.values);
    auto a = by_name(resumed.held_out.trace), b = by_name(whole.held_out.trace);
    a.erase("seconds");
    b.erase("seconds");
    EXPECT_EQ(a, b);
  }
}

TEST(HeldOut, ARunInProgressSaysHowWellItPredicts) {
  TempFolder folder;
  const std::int64_t half = whole_run().info.gradient_evaluations * 3 / 4;
  test::error_message<RunError>([&] { run({folder.file("run.nc"), false, false, 10}, half); });
  const quasar::Run part = open_run(folder.file("run.nc.part"));
  auto found = by_name(part.held_out.predictions);
  EXPECT_GT(found["draws"][0], 0);
  EXPECT_LT(found["draws"][0], 60);
  EXPECT_TRUE(std::isfinite(scores_of(part.held_out.predictions).rmse));
}

TEST(HeldOut, BeforeTheFirstDrawNothingIsPredicted) {
  const HeldOutRows rows{Ramp(observed)};
  const std::vector<SavedHeldOut> chains(2, SavedHeldOut(rows));
  EXPECT_TRUE(held_out_result(rows, chains, {{}, {}}).predictions.layout.variables.empty());
}

TEST(HeldOut, ClassesHaveProbabilities) {
  const HeldOutRows rows(test::Coin({1, 0, 1}));
  std::vector<SavedHeldOut> chains(2, SavedHeldOut(rows));
  PredictiveAverage average(std::make_unique<test::Coin>(std::vector<double>{1, 0, 1}));
  average.add(std::vector<double>{0.75}, Rng(1));
  for (SavedHeldOut& chain : chains) chain.average.rows = average.rows();
  const std::vector<double> entry = {9, 1.5, 0.1, 0.25, -1, 0.5, -2};
  const HeldOutResult result = held_out_result(rows, chains, {entry, entry});
  auto found = by_name(result.predictions);
  EXPECT_EQ(found["probability"], (std::vector<double>{0.25, 0.75, 0.25, 0.75, 0.25, 0.75}));  // row by row
  EXPECT_EQ(result.predictions.layout.coords.at("class"), (std::vector<std::string>{"tails", "heads"}));
  EXPECT_NEAR(scores_of(result.predictions).error, 1.0 / 3, 1e-15);
  auto trace = by_name(result.trace);
  EXPECT_EQ(trace["error"], (std::vector<double>{0.25, 0.25}));
  EXPECT_EQ(trace["draw_log_score"], (std::vector<double>{-2, -2}));
}

TEST(HeldOut, RowsWithoutAResponseAreNotScoredAndThoseThatAreNaNAreCounted) {
  const HeldOutRows rows(Ramp({0.5, NAN, 2}), std::vector<Index>{1, 4, 5});
  std::vector<SavedHeldOut> chains(1, SavedHeldOut(rows));
  PredictiveAverage average(std::make_unique<Ramp>(rows.observed));
  average.add(std::vector<double>{1, 1}, Rng(1));
  chains[0].average.rows = average.rows();
  Scores scores = scores_of(held_out_result(rows, chains, {{}}).predictions);
  EXPECT_EQ(scores.rows, 2);
  EXPECT_EQ(scores.unpredicted, 0);
  EXPECT_EQ(scores.rmse, average.scores().rmse);
  auto found = by_name(held_out_result(rows, chains, {{}}).predictions);
  EXPECT_EQ(found["row_number"], (std::vector<double>{1, 4, 5}));  // in the file
  average.add(std::vector<double>{NAN, 1}, Rng(1));
  chains[0].average.rows = average.rows();
  scores = scores_of(held_out_result(rows, chains, {{}}).predictions);
  EXPECT_EQ(scores.unpredicted, 2);
  EXPECT_TRUE(std::isnan(scores.rmse));
}

TEST(LogLikelihood, IsThatOfEveryRowAtEveryDraw) {
  TempFolder folder;
  const Ramp fitted({0.5, 1, -2});
  EXPECT_EQ(run({folder.file("run.nc")}, unlimited, &fitted), RunEnd::complete);
  const RunData draws = read_run(folder.file("run.nc"));
  const NcFile file = NcFile::open(folder.file("run.nc"));
  const NcGroup group = file.root().group("log_likelihood");
  bool found = false;
  for (const NcVariable& variable : group.variables()) {
    if (variable.name != "y") continue;
    found = true;
    EXPECT_EQ(variable.dims, (std::vector<std::string>{"chain", "draw", "row"}));
    const auto numbers = group.get_numbers(variable, variable.whole());
    auto expected = fitted.fork();
    Vec densities(3);
    for (Index i = 0; i < 60; ++i) {
      const ChainDraws& chain = draws.sampling[static_cast<std::size_t>(i / 30)];
      expected->take({chain.values.data() + 3 * (i % 30), 3}, Rng(0));
      expected->log_density(0, densities);
      for (Index k = 0; k < 3; ++k) EXPECT_EQ(numbers[static_cast<std::size_t>(3 * i + k)], densities[k]);
    }
  }
  EXPECT_TRUE(found);
}

}  // namespace
}  // namespace quasar
