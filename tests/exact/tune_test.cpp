// Tuning: what is tried, what goes on, what is counted.
#include "samplers/tune.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include <quasar/errors.hpp>
#include <quasar/registry.hpp>

namespace quasar {
namespace {

std::unique_ptr<Target> model(const std::string& name, const Settings& settings = {}) {
  const ModelEntry& entry = find_model(name);
  return entry.make(Config(entry.name, entry.params, settings), nullptr);
}

TuneOptions brief() {
  TuneOptions options;
  options.passes = 270;
  return options;
}

TEST(Tune, TriesTwelveStepsAndFiveBatchesAndLetsAThirdGoOn) {
  TuneOptions options = brief();
  std::vector<std::size_t> still_in;
  options.on_rung = [&](const std::vector<Trial>& trials) {
    still_in.push_back(trials.size());
    for (std::size_t i = 1; i < trials.size(); ++i) EXPECT_LE(trials[i - 1].ksd, trials[i].ksd);
  };
  const Tuned tuned = tune(*model("linear-gaussian"), find_sampler("sgld"), {}, options);
  EXPECT_EQ(still_in, (std::vector<std::size_t>{60, 20, 7, 3}));
  EXPECT_EQ(tuned.trials.size(), 60U);
  EXPECT_EQ(tuned.best.ksd, tuned.trials.front().ksd);
}

// Who goes on spends the budget of its rung: 10, 30, 90 and 270 passes, warm-up and the points of its discrepancies.
TEST(Tune, SpendsTheBudgetOnTheBest) {
  const Tuned tuned = tune(*model("linear-gaussian"), find_sampler("sgld"), {}, brief());
  const auto spent = [&](std::size_t place) { return tuned.trials[place].passes; };
  for (const std::size_t place : {0, 1, 2}) {
    EXPECT_GE(spent(place), 270);
    EXPECT_LT(spent(place), 270 + 20 + 16 + 930);  // warm-up, a slice of whole passes, the points
  }
  EXPECT_LT(spent(3), 90 + 20 + 16 + 430);
  EXPECT_LT(spent(59), 10 + 20 + 16 + 30);
  double sum = 0;
  for (const Trial& trial : tuned.trials) sum += trial.passes;
  EXPECT_GE(tuned.passes, sum);
}

// The finalists have run as in the whole grid, so that their discrepancies are the same numbers.
TEST(Tune, FinalistsAreThoseOfTheGrid) {
  TuneOptions options = brief();
  options.steps = {1e-6, 1e-4, 1e-3};
  options.batches = {100};
  const Tuned halved = tune(*model("linear-gaussian"), find_sampler("sgld"), {}, options);
  options.halve = false;
  const Tuned grid = tune(*model("linear-gaussian"), find_sampler("sgld"), {}, options);
  for (const Trial& trial : grid.trials) {
    if (trial.step_size == halved.best.step_size) {
      EXPECT_EQ(trial.ksd, halved.best.ksd);
    }
  }
  EXPECT_EQ(grid.trials.back().step_size, 1e-6);  // hardly moves from the mode
  EXPECT_NE(halved.best.step_size, 1e-6);
}

TEST(Tune, KeepsWhatIsGiven) {
  const Tuned step = tune(*model("linear-gaussian"), find_sampler("sgld"), {{"step_size", "0.001"}}, brief());
  for (const Trial& trial : step.trials) EXPECT_EQ(trial.step_size, 0.001);
  EXPECT_EQ(step.trials.size(), 5U);
  const Tuned batch = tune(*model("linear-gaussian"), find_sampler("sgld"), {{"batch_size", "70"}}, brief());
  for (const Trial& trial : batch.trials) EXPECT_EQ(trial.batch_size, 70);
  EXPECT_EQ(batch.trials.size(), 12U);
}

TEST(Tune, DoesWithoutBatches) {
  const Tuned tuned = tune(*model("quartic"), find_sampler("sgld"), {}, brief());
  EXPECT_EQ(tuned.trials.size(), 12U);
  EXPECT_EQ(tuned.best.batch_size, 0);
}

TEST(Tune, SettingsThatDivergeComeLast) {
  TuneOptions options = brief();
  options.steps = {0.1, 1e3};
  const Tuned tuned = tune(*model("gaussian"), find_sampler("sgld"), {}, options);
  EXPECT_EQ(tuned.best.step_size, 0.1);
  EXPECT_TRUE(std::isinf(tuned.trials.back().ksd));
  options.steps = {1e3, 1e4};
  EXPECT_THROW(tune(*model("gaussian"), find_sampler("sgld"), {}, options), RunError);
}

TEST(Tune, IsForStochasticSamplers) {
  EXPECT_THROW(tune(*model("gaussian"), find_sampler("nuts"), {}, brief()), UsageError);
}

}  // namespace
}  // namespace quasar
