// The run file: what is written comes back bit for bit, and nothing that was there is lost to a failure.
#include "io/run_file.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <algorithm>
#include <bit>
#include <csignal>
#include <cstdint>
#include <limits>
#include <sstream>
#include <utility>

#include <quasar/errors.hpp>
#include <quasar/layout.hpp>

#include "support/error_message.hpp"
#include "support/example_run.hpp"
#include "support/temp_folder.hpp"

namespace quasar {
namespace {

using test::example_run;
using test::numbered_chains;
using test::TempFolder;

constexpr double nan = std::numeric_limits<double>::quiet_NaN(), inf = std::numeric_limits<double>::infinity();

bool same_bits(const std::vector<double>& a, const std::vector<double>& b) {
  const auto bits = [](double x, double y) {
    return std::bit_cast<std::uint64_t>(x) == std::bit_cast<std::uint64_t>(y);
  };
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), bits);
}

void expect_same(const std::vector<ChainDraws>& a, const std::vector<ChainDraws>& b) {
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    EXPECT_EQ(a[i].draws, b[i].draws);
    EXPECT_TRUE(same_bits(a[i].values, b[i].values));
    EXPECT_TRUE(same_bits(a[i].stats, b[i].stats));
  }
}

void expect_same(const RunInfo& a, const RunInfo& b) {
  std::vector<std::string> texts;
  const auto list = [&](std::string_view name, const auto& value) {
    std::ostringstream out;
    out.precision(17);
    out << name << '=' << value;
    texts.push_back(out.str());
  };
  RunInfo::fields(a, list);
  const auto first = std::exchange(texts, {});
  RunInfo::fields(b, list);
  EXPECT_EQ(first, texts);
}

void expect_same(const RunData& a, const RunData& b) {
  expect_same(a.info, b.info);
  ASSERT_EQ(a.layout.variables.size(), b.layout.variables.size());
  for (std::size_t i = 0; i < a.layout.variables.size(); ++i) {
    const Variable &one = a.layout.variables[i], &other = b.layout.variables[i];
    EXPECT_EQ(std::tie(one.name, one.shape, one.dims, one.integer),
              std::tie(other.name, other.shape, other.dims, other.integer));
  }
  EXPECT_EQ(a.layout.coords, b.layout.coords);
  ASSERT_EQ(a.stats.size(), b.stats.size());
  for (std::size_t i = 0; i < a.stats.size(); ++i) {
    EXPECT_EQ(a.stats[i].name, b.stats[i].name);
    EXPECT_EQ(a.stats[i].type, b.stats[i].type);
  }
  expect_same(a.sampling, b.sampling);
  expect_same(a.warmup, b.warmup);
  ASSERT_EQ(a.divergences.size(), b.divergences.size());
  for (std::size_t i = 0; i < a.divergences.size(); ++i) {
    const Divergence &one = a.divergences[i], &other = b.divergences[i];
    EXPECT_EQ(std::tie(one.chain, one.iteration, one.warmup, one.position),
              std::tie(other.chain, other.iteration, other.warmup, other.position));
  }
}

std::ptrdiff_t files_in(const TempFolder& folder) {
  return std::distance(std::filesystem::directory_iterator(folder.path()), {});
}

RunData round_trip(const RunData& run) {
  TempFolder folder;
  write_run(folder.file("run.nc"), run);
  return read_run(folder.file("run.nc"));
}

TEST(RunFile, ComesBackBitForBit) {
  RunData run = example_run();
  run.info.created_at = "2026-01-02T03:04:05+00:00";
  run.info.quasar_version = "0.0.1";
  run.sampling[1].values[0] = nan;
  run.sampling[1].values[1] = -inf;
  run.sampling[2].values[2] = -0.0;
  run.sampling[2].values[3] = std::numeric_limits<double>::denorm_min();
  run.warmup = numbered_chains(7, 5000);
  run.divergences = {{2, 9, false, {1.5, -2.5}}, {0, 3, true, {0.25, 8}}};
  expect_same(round_trip(run), run);
}

TEST(RunFile, AnotherCheckReplacesTheFirstAndNothingElse) {
  TempFolder folder;
  const auto file = folder.file("run.nc");
  write_run(file, example_run());
  const RunData before = read_run(file);
  EXPECT_EQ(before.check, "");
  const std::string long_text = R"({"warnings": [")" + std::string(200'000, 'x') + "\"]}";  // beyond HDF5's old limit
  for (const std::string& check : {std::string(R"({"warnings": []})"), long_text}) {
    write_check(file, check);
    const RunData after = read_run(file);
    EXPECT_EQ(after.check, check);
    expect_same(after, before);
    EXPECT_EQ(round_trip(after).check, check);
  }
  EXPECT_EQ(files_in(folder), 1);
}

TEST(RunFile, FillsInVersionAndTime) {
  const RunInfo info = round_trip(example_run()).info;
  EXPECT_FALSE(info.quasar_version.empty());
  ASSERT_EQ(info.created_at.size(), std::string("2026-01-02T03:04:05+00:00").size());
  EXPECT_TRUE(info.created_at.ends_with("+00:00"));
}

TEST(RunFile, ChainsOfUnequalLengthAreCutAndMarked) {
  RunData run = example_run(), expected = run;
  run.sampling[1].append(std::vector<double>(12, 0.0), std::vector<double>(3, 0.0));
  const RunData back = round_trip(run);
  EXPECT_TRUE(back.info.stopped_early);
  expect_same(back.sampling, expected.sampling);
  EXPECT_FALSE(round_trip(expected).info.stopped_early);
}

TEST(RunFile, EmptyThingsAreHeld) {
  RunData none = example_run(0);
  none.warmup = numbered_chains(0, 0);
  none.info.created_at = none.info.quasar_version = "x";
  expect_same(round_trip(none), none);

  RunData no_elements;
  no_elements.layout.variables = {{"empty", {0}, {}}, {"wide", {2, 0, 3}, {}}};
  no_elements.sampling.resize(2);
  for (ChainDraws& chain : no_elements.sampling) chain.append({}, {});
  no_elements.info.created_at = no_elements.info.quasar_version = "x";
  expect_same(round_trip(no_elements), no_elements);

  RunData nothing;
  nothing.info.created_at = nothing.info.quasar_version = "x";
  expect_same(round_trip(nothing), nothing);
}

TEST(RunFile, NumbersThatBreakTheirTypeAreNotLost) {
  for (const double odd : {nan, inf, 2.5, 1e300}) {
    SCOPED_TRACE(odd);
    RunData run = example_run();
    run.sampling[1].values[10] = odd;  // z, declared whole
    run.sampling[0].stats[1] = odd;    // diverging, declared a truth value
    const RunData back = round_trip(run);
    expect_same(back.sampling, run.sampling);
    EXPECT_FALSE(back.layout.variables[3].integer);
    EXPECT_EQ(back.stats[1].type, StatSpec::real);
  }
}

TEST(RunFile, ReplacesAnOlderFileAndLeavesNoTrace) {
  TempFolder folder;
  write_run(folder.file("run.nc"), example_run(2));
  write_run(folder.file("run.nc"), example_run(4));
  EXPECT_EQ(read_run(folder.file("run.nc")).sampling[0].draws, 4);
  EXPECT_EQ(files_in(folder), 1);
}

TEST(RunFile, ANewFileGetsTheOrdinaryModeAndAReplacedOneKeepsItsOwn) {
  using std::filesystem::perms;
  TempFolder folder;
  const auto file = folder.file("run.nc");
  const auto mode_after_write = [&] {
    write_run(file, example_run());
    return std::filesystem::status(file).permissions();
  };
  const mode_t before = umask(0027);
  EXPECT_EQ(mode_after_write(), perms(0640));
  for (const perms mode : {perms(0604), perms(0400)}) {
    std::filesystem::permissions(file, mode);
    EXPECT_EQ(mode_after_write(), mode);
  }
  umask(before);
}

TEST(RunFile, ALinkStaysAndItsTargetIsReplaced) {
  TempFolder folder;
  std::filesystem::create_directory(folder.file("far"));
  std::filesystem::create_symlink("far/link.nc", folder.file("run.nc"));
  std::filesystem::create_symlink("real.nc", folder.file("far/link.nc"));
  for (const int draws : {2, 4}) {  // first it points to nothing, then to an older run
    write_run(folder.file("run.nc"), example_run(draws));
    EXPECT_TRUE(std::filesystem::is_symlink(folder.file("run.nc")));
    EXPECT_TRUE(std::filesystem::is_symlink(folder.file("far/link.nc")));
    EXPECT_EQ(read_run(folder.file("far/real.nc")).sampling[0].draws, draws);
  }
}

TEST(RunFile, AFileThatAppearedStaysAndTheDrawsAreKept) {
  TempFolder folder;
  const auto file = folder.file("run.nc");
  write_run(file, example_run(2), IfExists::fail);
  EXPECT_EQ(files_in(folder), 1);
  for (const int draws : {3, 4}) {  // the second failure spares what the first has kept
    const std::string message =
        test::error_message<DataError>([&] { write_run(file, example_run(draws), IfExists::fail); });
    const std::string start = file.string() + " appeared meanwhile; what should be there is in ";
    ASSERT_TRUE(message.starts_with(start)) << message;
    EXPECT_EQ(read_run(message.substr(start.size())).sampling[0].draws, draws);
  }
  EXPECT_EQ(read_run(file).sampling[0].draws, 2);
  EXPECT_EQ(files_in(folder), 3);
}

TEST(RunFile, AFailedWriteKeepsTheOlderFile) {
  TempFolder folder;
  write_run(folder.file("run.nc"), example_run(2));
  RunData wrong = example_run(4);
  wrong.layout.variables[0].name = "a/b";  // no name for netCDF
  const std::string message = test::error_message<DataError>([&] { write_run(folder.file("run.nc"), wrong); });
  EXPECT_TRUE(message.starts_with(folder.file("run.nc").string() + ": cannot add variable 'a/b'")) << message;
  EXPECT_EQ(read_run(folder.file("run.nc")).sampling[0].draws, 2);
  EXPECT_EQ(files_in(folder), 1);
}

TEST(RunFile, ALayoutThatCannotBeStoredIsRefused) {
  TempFolder folder;
  RunData wrong = example_run();
  wrong.layout.variables[0].name = "draw";
  test::error_message<UsageError>([&] { write_run(folder.file("run.nc"), wrong); });
  EXPECT_FALSE(std::filesystem::exists(folder.file("run.nc")));
}

TEST(RunFile, TheLongestNamesAreHeld) {
  TempFolder folder;
  RunData run;
  run.layout = {{{std::string(255, 'a'), {}, {}}, {std::string(249, 'b'), {2}, {}}}, {}};  // and b..._dim_0
  run.sampling.emplace_back().append(std::vector<double>{1, 2, 3}, {});
  write_run(folder.file("run.nc"), run);
  EXPECT_EQ(element_names(read_run(folder.file("run.nc")).layout), element_names(run.layout));
}

TEST(RunFile, PlacesThatCannotBeWritten) {
  TempFolder folder;
  const auto message = [](const std::filesystem::path& path) {
    std::string checked = test::error_message<DataError>([&] { check_writable(path); });
    EXPECT_EQ(test::error_message<DataError>([&] { write_run(path, example_run()); }), checked);
    return checked;
  };
  const std::string no_folder = folder.file("no").string();
  EXPECT_EQ(message(folder.file("no/run.nc")), no_folder + "/run.nc: there is no folder '" + no_folder + "'");
  EXPECT_EQ(message(folder.path()), folder.path().string() + ": is a folder");
  EXPECT_EQ(message(""), "'': names no file");
  EXPECT_EQ(message(no_folder + "/"), no_folder + "/: names no file");
  EXPECT_TRUE(message("/proc/run.nc").starts_with("/proc/run.nc: cannot be written: "));  // a folder closed to all
  std::filesystem::create_symlink("circle.nc", folder.file("circle.nc"));
  EXPECT_TRUE(message(folder.file("circle.nc")).starts_with(folder.file("circle.nc").string() + ": cannot be written"));
}

TEST(RunFile, WhatIsNoRegularFileStays) {
  TempFolder folder;
  const auto pipe = folder.file("pipe.nc"), link = folder.file("link.nc");
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  std::filesystem::create_symlink("pipe.nc", link);
  for (const auto& path : {pipe, link}) {
    const std::string cause = path.string() + ": is there and not a regular file";
    EXPECT_EQ(test::error_message<DataError>([&] { check_writable(path); }), cause);
    EXPECT_EQ(test::error_message<DataError>([&] { write_run(path, example_run()); }), cause);
    EXPECT_TRUE(std::filesystem::is_fifo(path));
  }
  EXPECT_EQ(files_in(folder), 2);
}

TEST(RunFile, ACheckLeavesNoTrace) {
  TempFolder folder;
  check_writable(folder.file("run.nc"));
  EXPECT_EQ(files_in(folder), 0);
  write_run(folder.file("run.nc"), example_run(2));
  check_writable(folder.file("run.nc"));
  EXPECT_EQ(read_run(folder.file("run.nc")).sampling[0].draws, 2);
  EXPECT_EQ(files_in(folder), 1);
}

// A child process, because the library keeps what it could not write until it exits.
TEST(RunFileDeathTest, AFullDiskKeepsTheOlderFile) {
  testing::FLAGS_gtest_death_test_style = "threadsafe";
  TempFolder folder;
  const auto file = folder.file("run.nc");
  write_run(file, example_run(2));
  const auto write_with_little_room = [&] {
    std::signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{100000, 100000};
    setrlimit(RLIMIT_FSIZE, &limit);
    try {
      write_run(file, example_run(5000));
    } catch (const DataError& error) {
      const bool kept = files_in(folder) == 1;
      std::_Exit(kept && std::string(error.what()).starts_with(file.string()) ? 0 : 1);
    }
    std::_Exit(2);
  };
  EXPECT_EXIT(write_with_little_room(), testing::ExitedWithCode(0), "");
  EXPECT_EQ(read_run(file).sampling[0].draws, 2);
}

TEST(RunFile, ConstantsAndTuningAreHeld) {
  RunData run = example_run();
  run.constants.layout = {{{"mean", {3}, {"school"}}, {"scale", {}, {}}}, {{"school", {"a", "b", "c"}}}};
  run.constants.values = Vec::LinSpaced(4, 0.1, 0.4);
  run.constants.attributes = {{"target", "größe"}};
  for (const bool dense : {false, true}) {
    run.tuning.clear();
    for (int i = 0; i < 3; ++i) run.tuning.push_back({0.25 * i, Mat::Constant(2, dense ? 2 : 1, i + 0.5)});
    const RunData back = round_trip(run);
    EXPECT_EQ(back.constants.values, run.constants.values);
    EXPECT_EQ(back.constants.attributes, run.constants.attributes);
    EXPECT_EQ(back.constants.layout.coords, run.constants.layout.coords);
    EXPECT_EQ(back.constants.layout.variables[0].dims, run.constants.layout.variables[0].dims);
    ASSERT_EQ(back.tuning.size(), 3u);
    for (std::size_t i = 0; i < 3; ++i) {
      EXPECT_EQ(back.tuning[i].step_size, run.tuning[i].step_size);
      EXPECT_EQ(back.tuning[i].inverse_metric, run.tuning[i].inverse_metric);
    }
  }
}

}  // namespace
}  // namespace quasar
