// A run that breaks off anywhere and is resumed gives the bits of one that did not.
//
// The break is a target that throws after so many evaluations: the process has then made draws that no checkpoint knows
// of, exactly as after kill -9. Killing the process itself is tests/cli/resume_test.py.
#include "io/durable_run.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <limits>

#include <quasar/config.hpp>
#include <quasar/errors.hpp>
#include <quasar/registry.hpp>

#include "io/part_folder.hpp"
#include "io/run_file.hpp"
#include "support/breaks_down.hpp"
#include "support/error_message.hpp"
#include "support/temp_folder.hpp"

namespace quasar {
namespace {

using test::BreaksDown;
using test::TempFolder;
namespace fs = std::filesystem;

constexpr std::int64_t unlimited = std::numeric_limits<std::int64_t>::max();

struct Trial {
  std::string sampler = "nuts", metric = "fisher_diag";
  SampleOptions options = {.chains = 2, .schedule = {60, 80, 3}, .threads = 2, .save_warmup = true};
  std::string configuration = R"({"run":{"draws":80,"threads":2},"model":{},"sampler":{}})";
};

RunEnd run(const Trial& trial, const Durability& durability, std::int64_t evaluations = unlimited,
           std::stop_token stop = {}) {
  const SamplerEntry& sampler = find_sampler(trial.sampler);
  const Config parameters(sampler.name, sampler.params, {{"metric", trial.metric}});
  const BreaksDown target(evaluations);
  RunInfo info;
  info.model = "skewed";
  info.configuration = trial.configuration;
  return sample_durably({target, sampler, parameters, trial.options, info}, durability, {}, std::move(stop));
}

void expect_same_draws(const RunData& a, const RunData& b) {
  ASSERT_EQ(a.sampling.size(), b.sampling.size());
  ASSERT_EQ(a.warmup.size(), b.warmup.size());
  for (std::size_t i = 0; i < a.sampling.size(); ++i) {
    EXPECT_EQ(a.sampling[i].values, b.sampling[i].values);
    EXPECT_EQ(a.sampling[i].stats, b.sampling[i].stats);
    EXPECT_EQ(a.warmup[i].values, b.warmup[i].values);
    EXPECT_EQ(a.warmup[i].stats, b.warmup[i].stats);
    EXPECT_EQ(a.tuning[i].step_size, b.tuning[i].step_size);
    EXPECT_EQ(a.tuning[i].inverse_metric, b.tuning[i].inverse_metric);
  }
  ASSERT_EQ(a.divergences.size(), b.divergences.size());
  for (std::size_t i = 0; i < a.divergences.size(); ++i) {
    EXPECT_EQ(a.divergences[i].iteration, b.divergences[i].iteration);
    EXPECT_EQ(a.divergences[i].position, b.divergences[i].position);
  }
  EXPECT_EQ(a.info.gradient_evaluations, b.info.gradient_evaluations);
  EXPECT_EQ(a.info.divergences, b.info.divergences);
}

TEST(DurableRun, IsTheRunInMemory) {
  const Trial trial;
  TempFolder folder;
  EXPECT_EQ(run(trial, {folder.file("run.nc")}), RunEnd::complete);
  EXPECT_FALSE(fs::exists(folder.file("run.nc.part")));
  const SamplerEntry& nuts = find_sampler("nuts");
  const RunData in_memory =
      sample(BreaksDown(unlimited), nuts, Config(nuts.name, nuts.params, {{"metric", trial.metric}}), trial.options);
  expect_same_draws(read_run(folder.file("run.nc")), in_memory);
}

TEST(DurableRun, BrokenOffAnywhereAndResumedTheBitsAreTheSame) {
  for (const Trial& trial :
       {Trial{}, Trial{"hmc", "welford_dense"}, Trial{"mala", "welford"}, Trial{"rwm", "identity"}}) {
    SCOPED_TRACE(trial.sampler);
    TempFolder folder;
    run(trial, {folder.file("whole.nc")});
    const RunData whole = read_run(folder.file("whole.nc"));
    const std::int64_t evaluations = whole.info.gradient_evaluations;
    for (std::int64_t part = 1; part < 8; part += 2) {
      SCOPED_TRACE(part);
      const Durability first{folder.file("run.nc"), false, true, 7};
      test::error_message<RunError>([&] { run(trial, first, evaluations * part / 8); });
      const Durability second{folder.file("run.nc"), true, false, 11};
      test::error_message<RunError>([&] { run(trial, second, evaluations / 20); });  // and once more on the way
      EXPECT_EQ(run(trial, second), RunEnd::complete);
      expect_same_draws(read_run(folder.file("run.nc")), whole);
      fs::remove(folder.file("run.nc"));
    }
  }
}

TEST(DurableRun, AStoppedRunHasAFileAndCanBeResumed) {
  const Trial trial;
  TempFolder folder;
  run(trial, {folder.file("whole.nc")});
  const RunData whole = read_run(folder.file("whole.nc"));
  std::stop_source stopped;
  stopped.request_stop();
  const Durability durability{folder.file("run.nc"), true, false, 0};
  EXPECT_EQ(run(trial, durability, unlimited, stopped.get_token()), RunEnd::stopped_in_warmup);
  EXPECT_FALSE(fs::exists(folder.file("run.nc")));
  test::error_message<RunError>([&] {
    run(trial, {folder.file("run.nc"), true, false, 1}, whole.info.gradient_evaluations * 3 / 4);
  });
  EXPECT_EQ(run(trial, durability, unlimited, stopped.get_token()), RunEnd::stopped);
  const RunData part = read_run(folder.file("run.nc"));
  EXPECT_TRUE(part.info.stopped_early);
  EXPECT_GT(part.sampling[0].draws, 0);
  EXPECT_EQ(run(trial, durability), RunEnd::complete);
  expect_same_draws(read_run(folder.file("run.nc")), whole);
  EXPECT_FALSE(read_run(folder.file("run.nc")).info.stopped_early);
}

TEST(DurableRun, WhatAFailingChainDrewIsInTheFolder) {
  Trial trial{"rwm", "identity"};
  trial.options = {.chains = 1, .schedule = {0, 1000, 1}, .threads = 1};
  TempFolder folder;
  const std::string message = test::error_message<RunError>([&] {
    run(trial, {folder.file("run.nc"), false, false, 1'000'000}, 500);
  });
  EXPECT_NE(message.find("run.nc.part, which quasar summary reads"), std::string::npos) << message;
  const std::string at = "iteration ";
  const Index failed_at = std::stol(message.substr(message.find(at) + at.size()));
  EXPECT_GT(failed_at, 400);
  EXPECT_EQ(open_run(folder.file("run.nc")).draws(), failed_at - 1);
}

class Resuming : public ::testing::Test {
 protected:
  void SetUp() override {
    test::error_message<RunError>([&] { run(trial, {out, false, false, 5}, 400); });
    ASSERT_TRUE(fs::exists(part / "chain-1.state"));
  }
  std::string refusal(const Trial& other) {
    return test::error_message<UsageError>([&] { run(other, {out, true, false, 5}); });
  }

  Trial trial;
  TempFolder folder;
  fs::path out = folder.file("run.nc"), part = folder.file("run.nc.part");
};

TEST_F(Resuming, AnotherConfigurationIsRefusedWithWhatDiffers) {
  Trial other = trial;
  other.configuration = R"({"run":{"draws":90,"threads":4},"model":{"dim":2},"sampler":{}})";
  const std::string message = refusal(other);
  EXPECT_NE(message.find("model.dim: none there, 2 here; draws: 80 there, 90 here"), std::string::npos) << message;
  EXPECT_EQ(message.find("threads"), std::string::npos) << message;
}

TEST_F(Resuming, AnotherVersionIsRefused) {
  const PartFolder saved(part);
  RunDescription description = saved.description();
  EXPECT_FALSE(description.header.info.quasar_version.empty());
  description.header.info.quasar_version = "0.0.1";
  saved.describe(description);
  const std::string message = refusal(trial);
  EXPECT_NE(message.find("version of Quasar: 0.0.1 there, "), std::string::npos) << message;
}

TEST_F(Resuming, DamagedFilesAreNamed) {
  for (const char* name : {"run", "chain-1.state", "chain-2.draws"}) {
    SCOPED_TRACE(name);
    TempFolder copy;
    fs::copy(part, copy.file("run.nc.part"));
    const fs::path file = copy.file("run.nc.part") / name;
    fs::resize_file(file, fs::file_size(file) / 3);
    const std::string message = test::error_message<DataError>([&] {
      run(trial, {copy.file("run.nc"), true, false, 5});
    });
    EXPECT_NE(message.find(name), std::string::npos) << message;
  }
}

TEST_F(Resuming, ARunInProgressCanBeRead) {
  const quasar::Run shown = open_run(out);
  EXPECT_TRUE(shown.info.stopped_early);
  EXPECT_EQ(shown.chains(), 2);
  EXPECT_GT(shown.source->draws(Phase::warmup), 0);
  run(trial, {out, true, false, 5});
  const quasar::Run whole = open_run(out);
  const Index common = shown.source->draws(Phase::warmup), columns = shown.layout.size();
  const DrawSlab slab{Phase::warmup, Part::values, 1, 0, common, 0, columns};
  std::vector<double> before(slab.size()), after(slab.size());
  shown.source->read(slab, before);
  whole.source->read(slab, after);
  EXPECT_EQ(before, after);
}

TEST_F(Resuming, TwoProcessesCannotHaveOneRun) {
  PartFolder other = PartFolder::beside(out);
  other.occupy();
  const std::string message = refusal(trial);
  EXPECT_NE(message.find("going on in another process"), std::string::npos) << message;
}

TEST_F(Resuming, OnlyWhatARunPutThereIsRemoved) {
  std::ofstream(part / "notes.txt") << "mine";
  EXPECT_EQ(run(trial, {out, true, false, 5}), RunEnd::complete);
  EXPECT_TRUE(fs::exists(part / "notes.txt"));
  EXPECT_EQ(std::distance(fs::directory_iterator(part), fs::directory_iterator{}), 1);
  EXPECT_FALSE(read_run(out).info.stopped_early);
}

TEST_F(Resuming, WithoutAskingNothingIsReplacedOrResumed) {
  const std::string message = test::error_message<UsageError>([&] { check_output({out}); });
  EXPECT_NE(message.find("holds an unfinished run"), std::string::npos) << message;
  check_output({out, true});
  check_output({out, false, true});
}

TEST_F(Resuming, WhatGoesOnElsewhereIsNotOfferedToBeResumed) {
  PartFolder other = PartFolder::beside(out);
  const auto refusal = [&] { return test::error_message<UsageError>([&] { check_output({out}); }); };
  other.occupy();
  EXPECT_NE(refusal().find("going on in another process"), std::string::npos) << refusal();
  other.share();  // as the ranks of a job have it
  EXPECT_NE(refusal().find("going on in another process"), std::string::npos) << refusal();
  other.leave();
  EXPECT_NE(refusal().find("holds an unfinished run"), std::string::npos) << refusal();
}

TEST_F(Resuming, WhatIsReadIsNotReplaced) {
  std::ofstream(out) << "data";
  for (const fs::path& read : {out, part}) {
    const std::vector<std::string> inputs = {"", "no such file", read.string()};
    for (const Durability& asked : {Durability{out}, Durability{out, true}, Durability{out, false, true}}) {
      const std::string message = test::error_message<UsageError>([&] { check_output(asked, inputs); });
      EXPECT_EQ(message, read.string() + " is read; --out names another file");
    }
  }
  const std::vector<std::string> others = {"", "no such file"};
  check_output({out, false, true}, others);
}

}  // namespace
}  // namespace quasar
