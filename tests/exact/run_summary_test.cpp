// What a summary says of a run, and what it leaves unsaid.
#include "front/run_summary.hpp"

#include <gtest/gtest.h>

#include <quasar/rng.hpp>

namespace quasar {
namespace {

// Two chains that agree on sigma, and hold the same factor with opposite signs.
RunData run_with_factors() {
  constexpr Index draws = 200;
  RunData data;
  data.layout.variables = {{"sigma", {}, {}}, {"user_factors", {1, 1}, {"user", "factor"}}};
  data.sampling.resize(2);
  for (std::uint64_t chain = 0; chain < 2; ++chain) {
    Stream stream = Rng(7, chain).stream("draws");
    const double sign = chain == 0 ? 1 : -1;
    for (Index i = 0; i < draws; ++i) {
      const double values[] = {1 + 0.1 * stream.normal(), 5 * sign + 0.1 * stream.normal()};
      data.sampling[chain].append(values, {});
    }
  }
  return data;
}

RunSummary summary_of(const RunData& data) {
  Run run;
  static_cast<RunHeader&>(run) = data;
  run.source = view_of(data);
  return summarize_run(run);
}

TEST(RunSummary, LeavesOutFactorsWhichCanTurn) {
  const RunData data = run_with_factors();
  const RunSummary summary = summary_of(data);
  EXPECT_EQ(summary.names, std::vector<std::string>{"sigma"});
  EXPECT_EQ(summary.left_out, std::vector<std::string>{"user_factors"});
  ASSERT_EQ(summary.rows.size(), 1U);
  EXPECT_LT(summary.rows[0].rhat, 1.05);
  EXPECT_TRUE(summary.diagnosis.problems.empty()) << warnings_of(summary).front();
  EXPECT_NE(summary_text(summary, data.info, 40).find("left out: user_factors"), std::string::npos);
}

TEST(RunSummary, LooksAtTheSameNumbersUnderAnotherName) {
  RunData data = run_with_factors();
  data.layout.variables[1].dims = {"user", "column"};
  const RunSummary summary = summary_of(data);
  EXPECT_EQ(summary.rows.size(), 2U);
  EXPECT_TRUE(summary.left_out.empty());
  EXPECT_FALSE(summary.diagnosis.problems.empty());
}

}  // namespace
}  // namespace quasar
