// Initial points from JSON and from run files.
#include "io/init.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include <quasar/errors.hpp>

#include "io/join.hpp"
#include "io/run_file.hpp"
#include "support/error_message.hpp"
#include "support/temp_folder.hpp"
#include "targets/eight_schools.hpp"

namespace quasar {
namespace {

using test::TempFolder;

// x = (mu, log tau, A row by row); `total` is derived and never needed.
struct Model final : Target {
  std::unique_ptr<Target> fork() const override { return std::make_unique<Model>(*this); }
  Index dim() const override { return 6; }
  Eval logp_grad(In, Out) override { return {0}; }
  Layout layout() const override {
    return {{{"mu", {}, {}}, {"total", {}, {}}, {"tau", {}, {}}, {"A", {2, 2}, {}}}, {}};
  }
  void unconstrain(In values, Out x) const override {
    if (values[0] > 100) throw UsageError("mu is too large");
    x << values[0], std::log(values[2]), values.tail(4);
  }
};

Vec point(double mu, double tau, double a, double b, double c, double d) {
  return (Vec(6) << mu, std::log(tau), a, b, c, d).finished();
}

std::vector<Vec> points_of(std::string_view json, int chains) {
  TempFolder folder;
  return read_init(folder.write("i.json", json), Model(), chains);
}

std::string complaint(std::string_view json, int chains = 2) {
  TempFolder folder;
  const auto file = folder.write("i.json", json);
  const std::string message = test::error_message<DataError>([&] { read_init(file, Model(), chains); });
  EXPECT_TRUE(message.starts_with(folder.path().string())) << message;
  return message.substr(std::min(message.size(), folder.path().string().size() + 1));
}

RunData run_with(const Layout& layout, const std::vector<std::vector<std::vector<double>>>& chains) {
  RunData run;
  run.layout = layout;
  for (const auto& draws : chains) {
    run.sampling.emplace_back();
    for (const auto& draw : draws) run.sampling.back().append(draw, {});
  }
  return run;
}

TEST(InitJson, OneObjectStartsAllChains) {
  const auto points = points_of(R"({"mu": 1, "tau": 2.5, "A": [[1, 2], [3, 4]], "total": 7})", 3);
  EXPECT_EQ(points, std::vector<Vec>(3, point(1, 2.5, 1, 2, 3, 4)));
}

TEST(InitJson, AnArrayHoldsOnePointPerChain) {
  const auto points =
      points_of(R"([{"mu": 1, "tau": 1, "A": [[1, 2], [3, 4]]}, {"mu": -2, "tau": 3, "A": [[5, 6], [7, 8]]}])", 2);
  EXPECT_EQ(points, (std::vector<Vec>{point(1, 1, 1, 2, 3, 4), point(-2, 3, 5, 6, 7, 8)}));
}

TEST(InitJson, WrongJsonIsPlaced) {
  EXPECT_TRUE(complaint("{\"mu\": 1,\n  \"tau\": ]}").starts_with("i.json:2:10: "))
      << complaint("{\"mu\": 1,\n  \"tau\": ]}");
  EXPECT_TRUE(complaint("").starts_with("i.json:1:1: "));
  EXPECT_TRUE(complaint("{\"mu\": NaN}").starts_with("i.json:1:8: ")) << complaint("{\"mu\": NaN}");
  EXPECT_EQ(complaint("{\"mu\": 1, \"mu\": 2}"), "i.json: the key 'mu' is given twice");
  EXPECT_EQ(complaint("{\"mu\": 1e999}"), "i.json: number overflow parsing '1e999'");
}

TEST(InitJson, DeepNestingIsRefusedWhereItBegins) {
  const std::string open(64, '[');
  EXPECT_EQ(complaint("{\"mu\":\n " + open + std::string(64, ']') + "}"), "i.json:2:65: nested deeper than 64 levels");
  EXPECT_EQ(complaint("[\"\\\"" + open + "\"]"), "i.json: 1 initial points for 2 chains");  // brackets in a text
  EXPECT_EQ(complaint("{\"mu\": [" + join(std::vector<std::string>(100, "[]"), ",") + "]}"),
            "i.json: variable 'mu': expected a number");
}

TEST(InitJson, WrongContentIsNamed) {
  EXPECT_EQ(complaint(R"({"mu": 1, "taU": 2})"), "i.json: unknown variable 'taU'; did you mean 'tau'?");
  EXPECT_EQ(complaint(R"({"mu": [1]})"), "i.json: variable 'mu': expected a number");
  EXPECT_EQ(complaint(R"({"mu": true})"), "i.json: variable 'mu': expected a number");
  EXPECT_EQ(complaint(R"({"mu": null})"), "i.json: variable 'mu': expected a number");
  EXPECT_EQ(complaint(R"({"A": [1, 2, 3, 4]})"), "i.json: variable 'A': expected an array of shape (2, 2)");
  EXPECT_EQ(complaint(R"({"A": [[1, 2], [3]]})"), "i.json: variable 'A': expected an array of shape (2, 2)");
  EXPECT_EQ(complaint(R"({"A": [[1, 2], [3, "4"]]})"), "i.json: variable 'A': expected an array of shape (2, 2)");
  EXPECT_EQ(complaint(R"({"mu": {"tau": 1}, "tau": 2})"), "i.json: variable 'mu': expected a number");
  EXPECT_EQ(complaint("3"), "i.json: expected an object of variables and their values");
  EXPECT_EQ(complaint("[{}, 3]"), "i.json: point 2: expected an object of variables and their values");
  EXPECT_EQ(complaint("[{}]"), "i.json: 1 initial points for 2 chains");
}

TEST(InitJson, AStartMustBeFiniteAndMissingParametersAreNamed) {
  EXPECT_EQ(complaint(R"({"tau": 2, "A": [[1, 2], [3, 4]]})"),
            "i.json: not enough to start from, or outside the support of the model; no value for 'mu', 'total' "
            "(derived ones need none)");
  EXPECT_EQ(complaint(R"({"mu": 1, "tau": -2, "total": 0, "A": [[1, 2], [3, 4]]})"),
            "i.json: values outside the support of the model");
}

// log 0: infinite, which what is missing cannot have done.
TEST(InitJson, ValuesOnTheBoundaryAreNotMissingOnes) {
  EXPECT_EQ(complaint(R"({"mu": 1, "tau": 0, "A": [[1, 2], [3, 4]]})"),
            "i.json: values outside the support of the model");
  EXPECT_EQ(complaint(R"({"mu": 1, "tau": -2, "A": [[1, 2], [3, 4]]})"),
            "i.json: not enough to start from, or outside the support of the model; no value for 'total' (derived ones "
            "need none)");
}

TEST(InitJson, WhatTheModelRefusesIsAFaultOfTheFile) {
  EXPECT_EQ(complaint(R"({"mu": 101, "tau": 2, "total": 0, "A": [[1, 2], [3, 4]]})"), "i.json: mu is too large");
  EXPECT_EQ(complaint(R"([{"mu": 1, "tau": 2, "A": [[1, 2], [3, 4]]}, {"mu": 101, "total": 0, "tau": 2}])"),
            "i.json: point 2: mu is too large; no value for 'A' (derived ones need none)");
}

TEST(InitJson, AMissingScaleOfEightSchoolsIsMissing) {
  TempFolder folder;
  for (const bool centered : {false, true}) {
    const auto message = [&](std::string_view json) {
      const auto file = folder.write("i.json", json);
      return test::error_message<DataError>([&] { read_init(file, EightSchools(centered), 1); })
          .substr(file.string().size());
    };
    EXPECT_EQ(
        message(R"({"mu": 1, "theta": [1, 2, 3, 4, 5, 6, 7, 8]})"),
        ": not enough to start from, or outside the support of the model; no value for 'tau' (derived ones need none)");
    EXPECT_EQ(message(R"({"mu": 1, "tau": 0, "theta": [1, 2, 3, 4, 5, 6, 7, 8]})"),
              ": eight-schools: tau must be positive");
  }
}

TEST(InitRun, StartsFromTheLastDrawsInTurn) {
  TempFolder folder;
  const auto file = folder.file("run.nc");
  write_run(file, run_with(Model().layout(), {{{0, 0, 1, 0, 0, 0, 0}, {1, 9, 2, 1, 2, 3, 4}},
                                              {{0, 0, 1, 0, 0, 0, 0}, {5, 9, 3, 5, 6, 7, 8}}}));
  const Vec first = point(1, 2, 1, 2, 3, 4), second = point(5, 3, 5, 6, 7, 8);
  EXPECT_EQ(read_init(file, Model(), 3), (std::vector<Vec>{first, second, first}));
  EXPECT_EQ(read_init(file, Model(), 1), std::vector<Vec>{first});
}

TEST(InitRun, VariablesAreMatchedByName) {
  TempFolder folder;
  const auto file = folder.file("run.nc");
  write_run(file, run_with({{{"A", {2, 2}, {}}, {"extra", {}, {}}, {"tau", {}, {}}, {"mu", {}, {}}}, {}},
                           {{{1, 2, 3, 4, 0, 2, 7}}}));
  EXPECT_EQ(read_init(file, Model(), 1), std::vector<Vec>{point(7, 2, 1, 2, 3, 4)});
}

TEST(InitRun, UselessRunsAreRefused) {
  TempFolder folder;
  const auto file = folder.file("run.nc");
  const auto message = [&] {
    return test::error_message<DataError>([&] { read_init(file, Model(), 2); }).substr(file.string().size());
  };
  write_run(file, run_with(Model().layout(), {{}}));
  EXPECT_EQ(message(), ": holds no draws to start from");
  write_run(file, run_with({{{"A", {4}, {}}}, {}}, {{{1, 2, 3, 4}}}));
  EXPECT_EQ(message(),
            ": last draw of chain 1: variable 'A': expected an array of shape (2, 2), found an array of shape (4)");
  write_run(file, run_with({{{"other", {}, {}}}, {}}, {{{1}}}));
  EXPECT_EQ(message(),
            ": last draw of chain 1: not enough to start from, or outside the support of the model; no value for 'mu', "
            "'total', 'tau', 'A' (derived ones need none)");
  write_run(file, run_with(Model().layout(), {{{1, 0, 1, 0, 0, 0, 0}}, {{101, 0, 1, 0, 0, 0, 0}}}));
  EXPECT_EQ(message(), ": last draw of chain 2: mu is too large");
}

TEST(Init, OtherFiles) {
  TempFolder folder;
  test::error_message<UsageError>([&] { read_init(folder.file("i.txt"), Model(), 1); });
  for (const std::string name : {"none.json", "none.nc"}) {
    EXPECT_EQ(test::error_message<DataError>([&] { read_init(folder.file(name), Model(), 1); }),
              folder.file(name).string() + ": cannot be opened: No such file or directory");
  }
}

}  // namespace
}  // namespace quasar
