// Comparisons of runs in memory: their numbers are those of the diagnostics, put together by hand.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include <quasar/diagnostics.hpp>
#include <quasar/errors.hpp>
#include <quasar/rng.hpp>

#include "compare/comparison.hpp"
#include "compare/comparison_page.hpp"
#include "compare/comparison_report.hpp"

namespace quasar {
namespace {

constexpr Index draws = 1000;
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

// Two chains of independent normal draws of `a` and `b`, by nuts; 3 gradients each.
RunData normal_run(std::uint64_t seed, double mean = 0, double sd = 1) {
  RunData data;
  data.info.model = "gaussian";
  data.info.sampler = "nuts";
  data.info.schedule = {100, draws, 1};
  data.info.sampling_seconds = 2;
  data.info.seed = seed;
  data.info.configuration = R"({"run":{"threads":1},"model":{"dim":2},"sampler":{}})";
  data.layout.variables = {{"a", {}, {}}, {"b", {}, {}}};
  data.stats = {{"gradient_evaluations", StatSpec::integer}};
  data.sampling.resize(2);
  for (std::uint64_t chain = 0; chain < 2; ++chain) {
    Stream stream = Rng(seed, chain).stream("draws");
    for (Index i = 0; i < draws; ++i) {
      const double values[] = {mean + sd * stream.normal(), 10 + stream.normal()}, stats[] = {3};
      data.sampling[chain].append(values, stats);
    }
  }
  return data;
}

NamedRun named(const std::string& name, const RunData& data) {
  NamedRun run{name, "", {}};
  static_cast<RunHeader&>(run.run) = data;
  run.run.source = view_of(data);
  return run;
}

Comparison compare(const RunData& one, const RunData& other, const ComparisonOptions& options = {}) {
  const NamedRun runs[] = {named("one", one), named("other", other)};
  return compare_runs(runs, options);
}

Mat column(const RunData& run, Index element) { return draws_of(run, element); }

TEST(Compare, DifferencesAreInErrorsOfBothRuns) {
  const RunData one = normal_run(1), other = normal_run(2, 0.5, 2);
  const Comparison comparison = compare(one, other);
  const ComparedParameter& a = comparison.parameters[0];
  const Mat x = column(one, 0), y = column(other, 0);
  EXPECT_EQ(a.name, "a");
  EXPECT_DOUBLE_EQ(a.mean[1].value, mean(y) - mean(x));
  const double error = std::sqrt(mcse_mean(x) * mcse_mean(x) + mcse_mean(y) * mcse_mean(y));
  EXPECT_DOUBLE_EQ(a.mean[1].in_mcse, (mean(y) - mean(x)) / error);
  const double error_of_sd = std::sqrt(mcse_sd(x) * mcse_sd(x) + mcse_sd(y) * mcse_sd(y));
  EXPECT_DOUBLE_EQ(a.sd[1].in_mcse, (sd(y) - sd(x)) / error_of_sd);
  EXPECT_TRUE(a.sd[1].beyond_chance());
  EXPECT_FALSE(comparison.parameters[1].mean[1].beyond_chance());
  EXPECT_TRUE(std::isnan(a.mean[0].value));  // of the reference itself
  EXPECT_EQ(comparison.beyond_chance(1), 1);
  EXPECT_EQ(comparison.beyond_chance(0), 0);
}

TEST(Compare, MeasuresAreTheWorstOfTheParameters) {
  const RunData one = normal_run(1), other = normal_run(2);
  const ComparedRun run = compare(one, other).runs[1];
  const Mat a = column(other, 0), b = column(other, 1);
  EXPECT_DOUBLE_EQ(run.ess_bulk.value, std::min(ess_bulk(a), ess_bulk(b)));
  EXPECT_EQ(run.ess_bulk.parameter, ess_bulk(a) <= ess_bulk(b) ? "a" : "b");
  EXPECT_DOUBLE_EQ(run.ess_bulk_median, (ess_bulk(a) + ess_bulk(b)) / 2);
  EXPECT_DOUBLE_EQ(run.ess_tail.value, std::min(ess_tail(a), ess_tail(b)));
  EXPECT_DOUBLE_EQ(run.rhat.value, std::max(rhat(a), rhat(b)));
  EXPECT_DOUBLE_EQ(run.gradients, 2 * 3.0 * draws);
  EXPECT_DOUBLE_EQ(run.ess_per_second(), run.ess_bulk.value / 2);
  EXPECT_DOUBLE_EQ(run.ess_per_gradient(), run.ess_bulk.value / (2 * 3.0 * draws));
}

TEST(Compare, MinibatchesAreCountedAsPartsOfGradients) {
  RunData data = normal_run(1);
  data.stats.push_back({"data_passes", StatSpec::real});
  data.info.schedule = {100, 10 * draws, 10};  // every tenth is stored
  for (ChainDraws& chain : data.sampling) {
    chain.stats.clear();
    for (Index i = 0; i < draws; ++i) chain.stats.insert(chain.stats.end(), {1, 0.25});
  }
  EXPECT_DOUBLE_EQ(whole_gradients(named("", data).run), 2 * 0.25 * 10 * draws);
  data.info.stopped_early = true;
  data.info.schedule.draws = 99 * draws;  // as was wanted
  EXPECT_DOUBLE_EQ(whole_gradients(named("", data).run), 2 * 0.25 * 10 * draws);
  data.stats.clear();
  for (ChainDraws& chain : data.sampling) chain.stats.clear();
  EXPECT_TRUE(std::isnan(whole_gradients(named("", data).run)));
}

TEST(Compare, TheReferenceIsTheFirstThatCanBeTrusted) {
  RunData biased = normal_run(1), apart = normal_run(2), good = normal_run(3);
  biased.info.sampler = "sgld";
  for (std::size_t i = 0; i < apart.sampling[0].values.size(); ++i) apart.sampling[0].values[i] += 3;
  const NamedRun runs[] = {named("biased", biased), named("apart", apart), named("good", good)};
  EXPECT_EQ(compare_runs(runs, {}).reference, 2U);
  EXPECT_EQ(compare_runs(runs, {.reference = "apart"}).reference, 1U);
  EXPECT_EQ(compare_runs(runs, {.reference = "sgld"}).reference, 0U);
  EXPECT_THROW(compare_runs(runs, {.reference = "nuts"}), UsageError);  // two of them
  EXPECT_THROW(compare_runs(runs, {.reference = "rwm"}), UsageError);
  const Comparison unsure = compare_runs(std::span(runs).first(2), {});
  EXPECT_EQ(unsure.reference, 0U);
  EXPECT_NE(unsure.warnings.front().find("the reference biased is no sure one: "), std::string::npos);
}

// Every draw of `a`, the first of two parameters.
RunData with_a(double value, std::uint64_t seed) {
  RunData data = normal_run(seed);
  for (ChainDraws& chain : data.sampling) {
    for (std::size_t i = 0; i < chain.values.size(); i += 2) chain.values[i] = value;
  }
  return data;
}

TEST(Compare, ABrokenRunIsNoReference) {
  const RunData good = normal_run(3);
  for (const double value : {nan, std::numeric_limits<double>::infinity(), 0.1}) {
    const RunData broken = with_a(value, 1);
    const Comparison comparison = compare(broken, good);
    EXPECT_EQ(comparison.reference, 1U) << value;
    ASSERT_FALSE(comparison.runs[0].notes.empty()) << value;
    EXPECT_NE(comparison.runs[0].notes.front().find("in 1 parameter"), std::string::npos) << value;
    const Comparison by_name = compare(broken, good, {.reference = "one"});
    EXPECT_NE(by_name.warnings.front().find("one is no sure one: it has no R-hat in 1 of 2 parameters"),
              std::string::npos)
        << value;
  }
  RunData divergent = normal_run(1);
  divergent.info.divergences = 10;
  EXPECT_EQ(compare(divergent, good).reference, 1U);
  divergent.info.stopped_early = true;
  RunData biased = normal_run(2);
  biased.info.sampler = "sgld";
  EXPECT_EQ(compare(divergent, biased).reference, 1U) << "the fewest doubts";
}

TEST(Compare, WhatIsConstantInEveryRunRaisesNoDoubts) {
  const Comparison comparison = compare(with_a(1, 1), with_a(1, 2));
  EXPECT_EQ(comparison.reference, 0U);
  EXPECT_TRUE(comparison.warnings.empty());
  EXPECT_TRUE(comparison.runs[0].notes.empty());
  EXPECT_TRUE(comparison.all_agree());
}

TEST(Compare, WhatIsNotComparedDoesNotAgree) {
  const std::string agree = "No run differs from";
  const RunData one = normal_run(1);
  EXPECT_NE(page_of(compare(one, normal_run(2))).find(agree), std::string::npos);

  const Comparison with_nan = compare(one, with_a(nan, 2));
  EXPECT_EQ(with_nan.not_compared(1), 1);
  EXPECT_EQ(with_nan.not_compared(0), 0);
  EXPECT_EQ(page_of(with_nan).find(agree), std::string::npos);
  EXPECT_NE(with_nan.warnings.front().find("other: 1 of 2 parameters could not be compared with one"),
            std::string::npos);
  EXPECT_EQ(to_json(with_nan)["runs"][1]["parameters_not_compared"], 1);

  EXPECT_EQ(page_of(compare(one, normal_run(2, 0, 3))).find(agree), std::string::npos);
  RunData threads = normal_run(2);
  threads.info.configuration = R"({"run":{"threads":2},"model":{"dim":2}})";
  const std::string page = page_of(compare(one, threads));
  EXPECT_NE(page.find(agree), std::string::npos) << "beside a warning of something else";
  EXPECT_NE(page.find("other numbers of chains or threads"), std::string::npos);
}

TEST(Compare, ParametersAreMatchedByName) {
  const RunData one = normal_run(1);
  RunData other = normal_run(2);
  other.layout.variables = {{"b", {}, {}}, {"c", {}, {}}};
  const Comparison comparison = compare(one, other, {});
  ASSERT_EQ(comparison.parameters.size(), 1U);
  EXPECT_EQ(comparison.parameters[0].name, "b");
  EXPECT_DOUBLE_EQ(comparison.parameters[0].mean[1].value, mean(column(other, 0)) - mean(column(one, 1)));
  EXPECT_EQ(comparison.left_out, (std::vector<std::string>{"a", "c"}));
  other.layout.variables[0].name = "d";
  EXPECT_THROW(compare(one, other), UsageError);
}

TEST(Compare, RunsOfOtherPosteriorsAreRefused) {
  const RunData one = normal_run(1);
  RunData other_model = normal_run(2), other_data = normal_run(2), prior = normal_run(2), centred = normal_run(2);
  other_model.info.model = "funnel";
  other_data.info.data_hash = "crc32:1";
  prior.info.configuration = R"({"run":{"threads":1,"prior_only":true},"model":{"dim":2}})";
  centred.info.configuration = R"({"run":{"threads":1},"model":{"dim":3}})";
  for (const RunData* other : {&other_model, &other_data, &prior}) {
    EXPECT_THROW(compare(one, *other), UsageError);
    EXPECT_EQ(compare(one, *other, {.allow_different = true}).warnings.size(), 1U);
  }
  EXPECT_NE(compare(one, centred).warnings.front().find("differ in model.dim (2, 3)"), std::string::npos);
  RunData more = normal_run(2);
  more.info.configuration = R"({"run":{"threads":1},"model":{"dim":2,"scale":5}})";
  EXPECT_NE(compare(one, more).warnings.front().find("differ in model.scale (none, 5)"), std::string::npos);
  EXPECT_NE(compare(more, one).warnings.front().find("differ in model.scale (5, none)"), std::string::npos);
  EXPECT_TRUE(compare(one, normal_run(4)).warnings.empty());
}

TEST(Compare, WhatARunDoesNotKnowIsSaid) {
  const RunData one = normal_run(1);
  RunData broken = normal_run(2), single = normal_run(2), weighted = normal_run(2), moments = normal_run(2);
  broken.sampling[0].values[0] = nan;
  single.sampling.resize(1);
  weighted.stats = {{"weight", StatSpec::real}};
  for (ChainDraws& chain : weighted.sampling) {
    for (Index i = 0; i < draws; ++i) chain.stats[static_cast<std::size_t>(i)] = i < draws / 2 ? 1 : 3;
  }
  moments.moments = {moments.layout, {{draws, Vec::Constant(2, 1), Vec::Constant(2, 2)}}};
  moments.layout.variables.clear();
  for (ChainDraws& chain : moments.sampling) chain.values.clear();

  const Comparison with_nan = compare(one, broken);
  EXPECT_TRUE(std::isnan(with_nan.parameters[0].mean[1].in_mcse));
  EXPECT_FALSE(std::isnan(with_nan.parameters[1].mean[1].in_mcse));
  EXPECT_NE(with_nan.runs[1].notes.front().find("NaN or infinite, in 1 parameter"), std::string::npos);

  const Comparison with_one = compare(one, single);
  EXPECT_TRUE(std::isnan(with_one.runs[1].rhat.value));
  EXPECT_FALSE(std::isnan(with_one.parameters[0].mean[1].in_mcse));

  const Comparison with_weights = compare(one, weighted);
  const Mat a = column(weighted, 0);
  EXPECT_NEAR(with_weights.parameters[0].mean[1].value,
              0.25 * mean(a.topRows(draws / 2)) + 0.75 * mean(a.bottomRows(draws / 2)) - mean(column(one, 0)), 1e-12);
  EXPECT_TRUE(std::isnan(with_weights.parameters[0].mean[1].in_mcse));

  const Comparison with_moments = compare(one, moments);
  EXPECT_DOUBLE_EQ(with_moments.parameters[0].mean[1].value, 1 - mean(column(one, 0)));
  EXPECT_TRUE(std::isnan(with_moments.parameters[0].mean[1].in_mcse));
  for (const Comparison& comparison : {with_nan, with_one, with_weights, with_moments}) {
    EXPECT_EQ(text_of(comparison, 10).find("nan"), std::string::npos) << text_of(comparison, 10);
    EXPECT_EQ(to_json(comparison).dump().find("nan"), std::string::npos);
  }
}

TEST(Compare, DiscrepanciesAreOfEqualNumbersOfDraws) {
  RunData one = normal_run(1), other = normal_run(2);
  one.check = R"({"ksd":{"draws":1000,"run":{"ksd":0.1}}})";
  other.check = R"({"ksd":{"draws":1000,"run":{"ksd":0.2,"u_statistic":-0.003,"standard_error":0.0045}}})";
  EXPECT_EQ(compare(one, other).runs[1].ksd().ksd, 0.2);
  EXPECT_TRUE(std::isnan(compare(one, other).runs[0].ksd().u_statistic));
  EXPECT_EQ(to_json(compare(one, other))["runs"][1]["ksd_u_statistic"], -0.003);
  EXPECT_NE(text_of(compare(one, other), 10).find("-0.003 ± 0.0045"), std::string::npos);
  EXPECT_TRUE(compare(one, other).warnings.empty());
  other.check = R"({"ksd":{"draws":400,"run":{"ksd":0.2}}})";
  EXPECT_NE(compare(one, other).warnings.front().find("of 1000 and 400 draws"), std::string::npos);
  other.check = R"(["not what a check writes"])";
  EXPECT_TRUE(std::isnan(compare(one, other).runs[1].ksd().ksd));
}

TEST(Compare, ConstantsThatDifferAreBeyondChance) {
  RunData one = normal_run(1), other = normal_run(2);
  for (RunData* run : {&one, &other}) {
    for (ChainDraws& chain : run->sampling) {
      for (std::size_t i = 0; i < chain.values.size(); i += 2) chain.values[i] = run == &one ? 1 : 2;
    }
  }
  const Comparison same = compare(one, one), different = compare(one, other);
  EXPECT_EQ(same.parameters[0].mean[1].in_mcse, 0);
  EXPECT_TRUE(different.parameters[0].mean[1].beyond_chance());
  EXPECT_TRUE(to_json(different)["parameters"][0]["runs"]["other"]["mean_difference"]["mcse"].is_null());
}

TEST(Compare, TheWorstComesFirstAndNamesAreEscaped) {
  RunData one = normal_run(1), other = normal_run(2, 0, 3);
  for (RunData* run : {&one, &other}) run->layout.variables[0].name = "<script>mine";
  const Comparison comparison = compare(one, other);
  const auto places = by_size(comparison);
  ASSERT_EQ(places.size(), 2U);
  EXPECT_EQ(places[0].parameter, 0U);
  const std::string page = page_of(comparison);
  EXPECT_EQ(page.find("<script>mine"), std::string::npos);
  EXPECT_NE(page.find("\\u003cscript>mine"), std::string::npos);
}

TEST(Compare, FilesAreCalledByWhatTellsThemApart) {
  const std::vector<std::string> files = {"a/nuts.nc", "b/nuts.nc", "hmc.nc"};
  EXPECT_EQ(names_of_files(files), (std::vector<std::string>{"a/nuts.nc", "b/nuts.nc", "hmc"}));
}

}  // namespace
}  // namespace quasar
