// Mean and sd of draws that are not kept: in one pass, by chain and member, through files and breaks.
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include <quasar/registry.hpp>
#include <quasar/sample.hpp>

#include "core/recorder.hpp"
#include "core/running_moments.hpp"
#include "front/run_summary.hpp"
#include "io/durable_run.hpp"
#include "io/moments_group.hpp"
#include "io/run_file.hpp"
#include "support/breaks_down.hpp"
#include "support/error_message.hpp"
#include "support/temp_folder.hpp"

namespace quasar {
namespace {

using test::BreaksDown;
using test::TempFolder;
constexpr std::int64_t unlimited = 1'000'000'000;

TEST(RunningMoments, AreThoseOfTwoPassesAlsoFarFromZero) {
  RunningMoments moments(2);
  const Mat rows{{1e9 + 1, 1}, {1e9 + 2, -1}, {1e9 + 4, 5}, {1e9 + 9, 3}};
  for (Index i = 0; i < rows.rows(); ++i) moments.add(rows.row(i).transpose());
  EXPECT_EQ(moments.count(), 4);
  EXPECT_DOUBLE_EQ(moments.mean()[0], 1e9 + 4);
  EXPECT_NEAR(moments.variance()[0], (9 + 4 + 0 + 25) / 3.0, 1e-6);  // the mean is known to 1e9 * 2^-53; x^2 to 100
  EXPECT_DOUBLE_EQ(moments.mean()[1], 2);
  EXPECT_DOUBLE_EQ(moments.variance()[1], (1 + 9 + 9 + 1) / 3.0);
}

TEST(RunningMoments, OfOneNumberHaveNoVariance) {
  RunningMoments moments(1);
  moments.add(Vec::Constant(1, 3.0));
  EXPECT_EQ(moments.mean()[0], 3);
  EXPECT_TRUE(std::isnan(moments.variance()[0]));
}

TEST(RunningMoments, MergedAreThoseOfBoth) {
  RunningMoments a(1), b(1), both(1);
  for (const double x : {1.0, 4.0, 6.0}) a.add(Vec::Constant(1, x));
  for (const double x : {-2.0, 0.5}) b.add(Vec::Constant(1, x));
  for (const double x : {1.0, 4.0, 6.0, -2.0, 0.5}) both.add(Vec::Constant(1, x));
  a.merge(b);
  EXPECT_EQ(a.count(), 5);
  EXPECT_NEAR(a.mean()[0], both.mean()[0], 1e-15);
  EXPECT_NEAR(a.variance()[0], both.variance()[0], 1e-14);
}

struct Trial {
  std::string sampler = "nuts";
  Settings settings = {};
  SampleOptions options = {.chains = 2, .schedule = {60, 900, 2}, .threads = 2};
};

RunEnd run(const Trial& trial, const Durability& durability, std::int64_t evaluations = unlimited) {
  const SamplerEntry& sampler = find_sampler(trial.sampler);
  const BreaksDown target(evaluations);
  RunInfo info;
  info.model = "skewed";
  return sample_durably({target, sampler, Config(sampler.name, sampler.params, trial.settings), trial.options, info},
                        durability, {}, {});
}

RunData run_with(Trial trial, Keep keep) {
  TempFolder folder;
  trial.options.keep = keep;
  EXPECT_EQ(run(trial, {folder.file("run.nc")}), RunEnd::complete);
  return read_run(folder.file("run.nc"));
}

ChainMoments in_two_passes(const ChainDraws& chain, Index width) {
  const Eigen::Map<const Mat> draws(chain.values.data(), width, chain.draws);
  const Vec mean = draws.rowwise().mean();
  return {chain.draws, mean,
          ((draws.colwise() - mean).rowwise().squaredNorm() / static_cast<double>(chain.draws - 1)).cwiseSqrt()};
}

void expect_moments(const RunData& run, const RunData& all) {
  ASSERT_EQ(run.moments.chains.size(), all.sampling.size());
  EXPECT_EQ(run.moments.layout.size(), all.layout.size());
  for (std::size_t i = 0; i < all.sampling.size(); ++i) {
    const ChainMoments expected = in_two_passes(all.sampling[i], all.layout.size());
    EXPECT_EQ(run.moments.chains[i].draws, expected.draws);
    EXPECT_LT((run.moments.chains[i].mean - expected.mean).norm(), 1e-12);
    EXPECT_LT((run.moments.chains[i].sd - expected.sd).norm(), 1e-12);
  }
}

TEST(Keep, MomentsAreThoseOfTheDrawsOfTheSameRun) {
  const RunData all = run_with({}, Keep::all), kept = run_with({}, Keep::moments);
  EXPECT_EQ(all.keep(), Keep::all);
  EXPECT_EQ(kept.keep(), Keep::moments);
  EXPECT_EQ(kept.layout.size(), 0);
  expect_moments(kept, all);
  for (std::size_t i = 0; i < all.sampling.size(); ++i) {
    EXPECT_EQ(kept.sampling[i].stats, all.sampling[i].stats);
    EXPECT_TRUE(kept.sampling[i].values.empty());
  }
}

TEST(Keep, ThinStoresEveryFifthOf450AndTheMomentsOfAll) {
  const RunData all = run_with({}, Keep::all), kept = run_with({}, Keep::thin);
  EXPECT_EQ(kept.keep(), Keep::thin);
  expect_moments(kept, all);
  for (std::size_t i = 0; i < all.sampling.size(); ++i) {
    ASSERT_EQ(all.sampling[i].draws, 450);
    ASSERT_EQ(kept.sampling[i].draws, 90);  // every fifth: at most a hundred
    for (std::size_t d = 0; d < 90; ++d) {
      for (std::size_t k = 0; k < 3; ++k) {
        EXPECT_EQ(kept.sampling[i].values[3 * d + k], all.sampling[i].values[15 * d + k]);
      }
    }
  }
}

TEST(Keep, ThinStoresWhatThereIsOfAShortRun) {
  EXPECT_EQ(storage_stride({0, 100, 1}, Keep::thin), 1);
  EXPECT_EQ(storage_stride({0, 101, 1}, Keep::thin), 2);
  EXPECT_EQ(storage_stride({0, 1000, 10}, Keep::thin), 1);
  EXPECT_EQ(storage_stride({0, 100'000, 1}, Keep::all), 1);
  EXPECT_EQ(storage_stride({0, 100'000, 1}, Keep::moments), 1);
}

TEST(Keep, WarmUpIsThinnedAlikeAndTakesNoPartInTheMoments) {
  Trial trial;
  trial.options.save_warmup = true;
  trial.options.schedule = {300, 400, 1};
  const RunData all = run_with(trial, Keep::all), kept = run_with(trial, Keep::thin);
  expect_moments(kept, all);
  ASSERT_EQ(kept.warmup[1].draws, 75);
  EXPECT_EQ(kept.info.stored_every, 4);
  EXPECT_EQ(all.info.stored_every, 1);
  EXPECT_EQ(kept.warmup[1].values[3], all.warmup[1].values[12]);
  EXPECT_EQ(kept.sampling[1].values[3], all.sampling[1].values[12]);
}

TEST(Keep, MembersOfAnEnsembleHaveTheirOwn) {
  const Trial trial{"hmc-bfgs", {{"members", "3"}}, {.chains = 2, .schedule = {50, 200, 1}, .threads = 1}};
  const RunData all = run_with(trial, Keep::all), kept = run_with(trial, Keep::moments);
  ASSERT_EQ(all.sampling.size(), 6U);
  expect_moments(kept, all);
}

TEST(Keep, InMemoryItIsTheSame) {
  Trial trial;
  trial.options.keep = Keep::moments;
  const SamplerEntry& nuts = find_sampler("nuts");
  const RunData memory = sample(BreaksDown(unlimited), nuts, Config(nuts.name, nuts.params, {}), trial.options);
  const RunData file = run_with({}, Keep::moments);
  ASSERT_EQ(memory.moments.chains.size(), 2U);
  for (std::size_t i = 0; i < 2; ++i) EXPECT_EQ(memory.moments.chains[i].sd, file.moments.chains[i].sd);
}

TEST(Keep, BrokenOffAndResumedTheMomentsHaveTheSameBits) {
  for (const Keep keep : {Keep::moments, Keep::thin}) {
    Trial trial;
    trial.options.keep = keep;
    const RunData whole = run_with(trial, keep);
    for (std::int64_t part = 1; part < 8; part += 2) {
      TempFolder folder;
      const std::int64_t evaluations = whole.info.gradient_evaluations * part / 8;
      test::error_message<RunError>([&] { run(trial, {folder.file("run.nc"), false, false, 7}, evaluations); });
      EXPECT_EQ(run(trial, {folder.file("run.nc"), true, false, 11}), RunEnd::complete);
      const RunData resumed = read_run(folder.file("run.nc"));
      for (std::size_t i = 0; i < 2; ++i) {
        EXPECT_EQ(resumed.moments.chains[i].draws, 450);
        EXPECT_EQ(resumed.moments.chains[i].mean, whole.moments.chains[i].mean);
        EXPECT_EQ(resumed.moments.chains[i].sd, whole.moments.chains[i].sd);
        EXPECT_EQ(resumed.sampling[i].values, whole.sampling[i].values);
        EXPECT_EQ(resumed.sampling[i].stats, whole.sampling[i].stats);
      }
    }
  }
}

TEST(Keep, ARunInProgressHasTheMomentsOfItsLastCheckpoint) {
  Trial trial;
  trial.options.keep = Keep::moments;
  trial.options.chains = 1;  // a chain that stops because another broke down saves where it is
  TempFolder folder;
  const std::int64_t evaluations = run_with(trial, Keep::moments).info.gradient_evaluations / 2;
  test::error_message<RunError>([&] { run(trial, {folder.file("run.nc"), false, false, 50}, evaluations); });
  const quasar::Run part = open_run(folder.file("run.nc"));
  ASSERT_EQ(part.moments.chains.size(), 1U);
  EXPECT_EQ(part.keep(), Keep::moments);
  EXPECT_GT(part.moments.chains[0].draws, 0);
  EXPECT_EQ(part.moments.chains[0].draws % 5, 0);  // 50 iterations, every second kept, 60 of warm-up: 5 less than 25 n
}

PosteriorMoments example() {
  return {{{{"a", {}, {}}, {"b", {2}, {"side"}}}, {{"side", {"left", "right"}}}},
          {{5, Vec{{1, 2, 3}}, Vec{{4, 5, 6}}}, {7, Vec{{-1, -2, -3}}, Vec{{0, 1, 2}}}}};
}

TEST(MomentsGroup, IsReadAsItWasWritten) {
  const ConstantData group = moments_group(example());
  EXPECT_EQ(group.layout.variables[2].shape, (std::vector<Index>{2, 2, 2}));
  EXPECT_EQ(group.values, (Vec{{5, 7, 1, 4, -1, 0, 2, 3, 5, 6, -2, -3, 1, 2}}));
  const PosteriorMoments back = moments_of(group);
  ASSERT_EQ(back.chains.size(), 2U);
  EXPECT_EQ(back.layout.variables[1].dims, std::vector<std::string>{"side"});
  EXPECT_EQ(back.layout.coords, example().layout.coords);
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(back.chains[i].draws, example().chains[i].draws);
    EXPECT_EQ(back.chains[i].mean, example().chains[i].mean);
    EXPECT_EQ(back.chains[i].sd, example().chains[i].sd);
  }
}

TEST(MomentsGroup, NamesThatItNeedsAreRefusedBeforeSampling) {
  EXPECT_NO_THROW(check_moments(example().layout));
  const auto refusal = [](const Variable& variable) {
    return test::error_message<UsageError>([&] { check_moments({{variable}, {}}); });
  };
  EXPECT_EQ(refusal({"draw_count", {}, {}}),
            "variable 'draw_count': the name 'draw_count' is taken in files of moments");
  EXPECT_EQ(refusal({"a", {2}, {"moment"}}), "variable 'a': the name 'moment' is taken in files of moments");
}

// A run in progress, of whose chains the first has made no checkpoint after its warm-up; or none has.
RunSummary summary_of_part(bool second_has_moments) {
  RunData data;
  data.moments = example();
  data.moments.chains[0] = result_of(RunningMoments(3));
  if (!second_has_moments) data.moments.chains[1] = result_of(RunningMoments(3));
  data.sampling.resize(2);
  quasar::Run run;
  static_cast<RunHeader&>(run) = data;
  run.source = view_of(data);
  return summarize_run(run);
}

TEST(Keep, AChainWithoutMomentsTakesNothingFromTheOthers) {
  const RunSummary summary = summary_of_part(true);
  EXPECT_EQ(summary.made, 7);
  EXPECT_EQ(summary.rows[1].mean, -2);
  EXPECT_EQ(summary.rows[1].sd, 1);
  for (const std::string& warning : warnings_of(summary)) EXPECT_EQ(warning.find("NaN"), std::string::npos) << warning;
}

TEST(Keep, BeforeTheFirstDrawThereAreNoMomentsAndNothingIsSaidOfThem) {
  const RunSummary summary = summary_of_part(false);
  EXPECT_TRUE(std::isnan(summary.rows[1].mean));
  EXPECT_NE(what_is_kept(summary).find("not yet"), std::string::npos);
  for (const std::string& warning : warnings_of(summary)) EXPECT_EQ(warning.find("NaN"), std::string::npos) << warning;
}

TEST(MomentsGroup, OtherGroupsAreRefused) {
  const auto refusal = [](const ConstantData& group) {
    return test::error_message<DataError>([&] { moments_of(group); });
  };
  ConstantData group = moments_group(example());
  EXPECT_EQ(refusal({}), "the moments have no draw_count");
  group.values[1] = NAN;
  EXPECT_EQ(refusal(group), "the moments are of an impossible number of draws");
  group = moments_group(example());
  group.layout.variables[2].shape = {2, 4, 1};
  EXPECT_EQ(refusal(group), "the moments of 'b' are not (chain, moment, ...)");
}

}  // namespace
}  // namespace quasar
