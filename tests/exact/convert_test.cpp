// The text formats, letter by letter, on a run in which every number is different.
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <fstream>
#include <iterator>
#include <limits>

#include <quasar/errors.hpp>

#include "io/draws_csv.hpp"
#include "io/draws_json.hpp"
#include "io/stan_csv.hpp"
#include "support/example_run.hpp"
#include "support/temp_folder.hpp"

namespace quasar {
namespace {

using test::example_run;
using test::numbered_chains;
using test::TempFolder;
using Lines = std::vector<std::string>;

std::string text_of(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

Lines lines_of(const std::filesystem::path& path) {
  Lines lines;
  std::ifstream in(path);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

Lines comments_of(const Lines& lines) {
  Lines comments;
  std::copy_if(lines.begin(), lines.end(), std::back_inserter(comments),
               [](const std::string& line) { return line.starts_with('#'); });
  return comments;
}

Lines rows_of(const Lines& lines) {  // header and draws
  Lines rows;
  std::copy_if(lines.begin(), lines.end(), std::back_inserter(rows),
               [](const std::string& line) { return !line.starts_with('#'); });
  return rows;
}

Run as_run(const RunData& data) {
  Run run;
  static_cast<RunHeader&>(run) = data;
  run.source = view_of(data);
  return run;
}

std::string written(const RunData& data, void (*write)(const Run&, const Selection&, TextOutput&),
                    const Lines& names = {}) {
  TempFolder folder;
  TextOutput out(folder.file("out"));
  write(as_run(data), select_variables(data.layout, names), out);
  out.finish();
  out.commit(IfExists::fail);
  return text_of(folder.file("out"));
}

void write_stan(const RunData& data, const TempFolder& folder, const Lines& names = {}) {
  write_stan_csv(as_run(data), select_variables(data.layout, names), folder.file("run"), IfExists::fail);
}

// Two draws in two chains, all seven statistics that Stan knows, in an order that is not Stan's.
RunData trajectories() {
  RunData run;
  run.info.model = "eight-schools";
  run.info.sampler = "nuts";
  run.info.data_source = "a\nb.csv";
  run.info.configuration = R"({"run":{"thin":7},"sampler":{"max_depth":8,"metric":"fisher_diag","target_accept":0.9}})";
  run.info.seed = 5;
  run.info.schedule = {4, 3, 2};
  run.info.warmup_seconds = 0.000001;
  run.info.sampling_seconds = 1234.5;
  run.info.quasar_version = "1.2.3";
  run.info.created_at = "2001-02-03T04:05:06+00:00";
  run.layout.variables = {{"A", {2, 3}, {}}, {"mu", {}, {}}};
  run.stats = {{"energy", StatSpec::real},       {"lp", StatSpec::real},        {"acceptance_rate", StatSpec::real},
               {"diverging", StatSpec::boolean}, {"step_size", StatSpec::real}, {"n_steps", StatSpec::integer},
               {"tree_depth", StatSpec::integer}};
  run.sampling.resize(2);
  for (ChainDraws& chain : run.sampling) {
    chain.append(std::vector<double>{11, 12, 13, 21, 22, 23, 0.1}, std::vector<double>{9, -1.5, 0.75, 0, 0.5, 7, 3});
    chain.append(std::vector<double>{31, 32, 33, 41, 42, 43, 1e-300}, std::vector<double>{8, -2.5, 1, 1, 0.5, 15, 4});
  }
  run.tuning = {{0.5, Vec{{0.25, 3}}}, {0.125, Vec{{1e-5, 2}}}};
  return run;
}

TEST(StanCsv, IsWhatCmdStanWrites) {
  const TempFolder folder;
  const std::string statistics = "lp__,accept_stat__,stepsize__,treedepth__,n_leapfrog__,divergent__,energy__";
  write_stan(trajectories(), folder);
  const Lines expected = {"# stan_version_major = 2",
                          "# stan_version_minor = 36",
                          "# stan_version_patch = 0",
                          "# quasar_version = 1.2.3",
                          "# quasar_sampler = nuts",
                          "# quasar_metric = fisher_diag",
                          "# quasar_data_hash = ",
                          "# quasar_stopped_early = 0",
                          "# quasar_configuration = " + trajectories().info.configuration,
                          "# model = eight-schools",
                          "# start_datetime = 2001-02-03T04:05:06+00:00",
                          "# method = sample",
                          "#   sample",
                          "#     num_samples = 3",
                          "#     num_warmup = 4",
                          "#     save_warmup = 0",
                          "#     thin = 2",
                          "#     adapt",
                          "#       engaged = 1",
                          "#       delta = 0.9",
                          "#     algorithm = hmc",
                          "#       hmc",
                          "#         engine = nuts",
                          "#           nuts",
                          "#             max_depth = 8",
                          "#         metric = diag_e",
                          "#     num_chains = 2",
                          "# id = 2",
                          "# data",
                          "#   file = a?b.csv",
                          "# init = 2",
                          "# random",
                          "#   seed = 5",
                          statistics + ",A.1.1,A.2.1,A.1.2,A.2.2,A.1.3,A.2.3,mu",
                          "# Adaptation terminated",
                          "# Step size = 0.125",
                          "# Diagonal elements of inverse mass matrix:",
                          "# 1e-05,2",
                          "-1.5,0.75,0.5,3,7,0,9,11,21,12,22,13,23,0.1",
                          "-2.5,1,0.5,4,15,1,8,31,41,32,42,33,43,1e-300",
                          "# ",
                          "#  Elapsed Time: 0.000 seconds (Warm-up)",
                          "#                1234.500 seconds (Sampling)",
                          "#                1234.500 seconds (Total)",
                          "# "};
  EXPECT_EQ(lines_of(folder.file("run_2.csv")), expected);
}

TEST(StanCsv, HasTheFilesItAnnounces) {
  const TempFolder folder;
  const RunData run = trajectories();
  const auto files = stan_csv_files(as_run(run), folder.file("run"));
  write_stan(run, folder);
  EXPECT_EQ(files.size(), 5u);
  for (const auto& file : files) EXPECT_TRUE(std::filesystem::exists(file)) << file;
  const auto entries = std::distance(std::filesystem::directory_iterator(folder.path()), {});
  EXPECT_EQ(entries, 5);
}

TEST(StanCsv, KeepsTheTrueMetricBesideIt) {
  const TempFolder folder;
  write_stan(trajectories(), folder);
  const auto metric = nlohmann::json::parse(text_of(folder.file("run_1_metric.json")));
  EXPECT_EQ(metric, nlohmann::json::parse(R"({"stepsize":0.5,"metric_type":"diag_e","inv_metric":[0.25,3.0]})"));
  const auto config = nlohmann::json::parse(text_of(folder.file("run_config.json")));
  EXPECT_EQ(config["method"]["sample"]["algorithm"]["hmc"]["engine"]["nuts"]["max_depth"], 8);
  EXPECT_EQ(config["quasar_metric"], "fisher_diag");
  EXPECT_EQ(config["quasar"]["attrs"]["data_source"], "a\nb.csv");
}

TEST(StanCsv, WritesADenseMetricRowByRow) {
  const TempFolder folder;
  RunData run = trajectories();
  run.tuning = {{0.5, Mat{{2, 0.5}, {0.5, 3}}}, {0.5, Mat{{2, 0.5}, {0.5, 3}}}};
  write_stan(run, folder);
  const Lines lines = lines_of(folder.file("run_1.csv"));
  const auto found = std::find(lines.begin(), lines.end(), "# Elements of inverse mass matrix:");
  ASSERT_LT(found, lines.end() - 2);
  EXPECT_EQ(found[1], "# 2,0.5");
  EXPECT_EQ(found[2], "# 0.5,3");
  EXPECT_NE(std::find(lines.begin(), lines.end(), "#         metric = dense_e"), lines.end());
  const auto metric = nlohmann::json::parse(text_of(folder.file("run_1_metric.json")));
  EXPECT_EQ(metric["inv_metric"], nlohmann::json::parse("[[2.0,0.5],[0.5,3.0]]"));
}

TEST(StanCsv, GivesTheMembersOfAnEnsembleTheirCommonTuning) {
  const TempFolder folder;
  RunData run = trajectories();
  run.info.members = 2;
  run.tuning.pop_back();
  write_stan(run, folder);
  const Lines lines = lines_of(folder.file("run_2.csv"));
  EXPECT_NE(std::find(lines.begin(), lines.end(), "# Step size = 0.5"), lines.end());
}

TEST(StanCsv, PutsTheWarmupBeforeTheAdaptation) {
  const TempFolder folder;
  RunData run = trajectories();
  run.warmup = run.sampling;
  run.warmup[0].stats[1] = -7;
  write_stan(run, folder);
  const Lines lines = lines_of(folder.file("run_1.csv"));
  const auto header = std::find_if(lines.begin(), lines.end(), [](auto& line) { return line.starts_with("lp__"); });
  ASSERT_LT(header, lines.end() - 3);
  EXPECT_TRUE(header[1].starts_with("-7,"));
  EXPECT_EQ(header[3], "# Adaptation terminated");
  EXPECT_NE(std::find(lines.begin(), lines.end(), "#     save_warmup = 1"), lines.end());
}

// Readers count ceil(num_samples / thin) rows.
TEST(StanCsv, CountsWhatAStoppedRunHas) {
  const TempFolder folder;
  RunData run = trajectories();
  run.info.schedule = {1000, 1000, 3};
  run.info.stopped_early = true;
  run.warmup = run.sampling;
  write_stan(run, folder);
  const Lines comments = comments_of(lines_of(folder.file("run_1.csv")));
  for (const char* line :
       {"#     num_samples = 6", "#     num_warmup = 6", "#     thin = 3", "# quasar_stopped_early = 1"})
    EXPECT_NE(std::find(comments.begin(), comments.end(), line), comments.end()) << line;
}

TEST(StanCsv, StandsInForADepthThatStaticTrajectoriesLack) {
  const TempFolder folder;
  RunData run = trajectories();
  run.stats.back().name = "int_time";
  run.info.configuration = "{}";
  write_stan(run, folder);
  const Lines lines = lines_of(folder.file("run_1.csv"));
  EXPECT_EQ(rows_of(lines)[1], "-1.5,0.75,0.5,0,7,0,9,11,21,12,22,13,23,0.1");
  EXPECT_NE(std::find(lines.begin(), lines.end(), "#         engine = static"), lines.end());
  EXPECT_NE(std::find(lines.begin(), lines.end(), "#             max_depth = 10"), lines.end());
}

// Anything but trajectories: two statistics, no comment between the header and the draws, no warm-up, a metric's name.
TEST(StanCsv, WritesOtherSamplersAsFixedParam) {
  const TempFolder folder;
  RunData run = trajectories();
  run.stats[0].name = "other";
  run.warmup = run.sampling;
  run.tuning.clear();
  write_stan(run, folder);
  const Lines lines = lines_of(folder.file("run_1.csv"));
  const auto header =
      std::find(lines.begin(), lines.end(), "lp__,accept_stat__,A.1.1,A.2.1,A.1.2,A.2.2,A.1.3,A.2.3,mu");
  ASSERT_LT(header, lines.end() - 3);
  EXPECT_EQ(header[1], "-1.5,0.75,11,21,12,22,13,23,0.1");
  EXPECT_EQ(header[2], "-2.5,1,31,41,32,42,33,43,1e-300");
  EXPECT_EQ(rows_of(lines).size(), 3u);
  for (const char* line : {"#     algorithm = fixed_param", "#         metric = unit_e", "#     save_warmup = 0"})
    EXPECT_NE(std::find(lines.begin(), lines.end(), line), lines.end()) << line;
  EXPECT_FALSE(std::filesystem::exists(folder.file("run_1_metric.json")));
}

TEST(StanCsv, WritesWhatIsNotFiniteAsStanDoes) {
  const TempFolder folder;
  RunData run = trajectories();
  constexpr double inf = std::numeric_limits<double>::infinity();
  run.sampling[0].values[0] = std::numeric_limits<double>::quiet_NaN();
  run.sampling[0].values[1] = inf;
  run.sampling[0].values[2] = -inf;
  write_stan(run, folder);
  EXPECT_EQ(rows_of(lines_of(folder.file("run_1.csv")))[1], "-1.5,0.75,0.5,3,7,0,9,NaN,21,inf,22,-inf,23,0.1");
}

TEST(StanCsv, RefusesWhatItCannotSay) {
  const TempFolder folder;
  RunData run = trajectories();
  run.layout.variables[1].name = "mu__";
  EXPECT_THROW(write_stan(run, folder), UsageError);
  run.layout.variables[1].name = "m,u";
  EXPECT_THROW(write_stan(run, folder), UsageError);
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
  write_stan(run, folder, {"A"});
  EXPECT_TRUE(rows_of(lines_of(folder.file("run_1.csv")))[1].ends_with(",13,23"));

  run.tuning.clear();
  EXPECT_THROW(stan_csv_files(as_run(run), folder.file("other")), UsageError);
}

TEST(DrawsCsv, QuotesNamesAndCountsFromOne) {
  const RunData run = example_run(1);
  const std::string text = written(run, write_draws_csv);
  EXPECT_EQ(text.substr(0, text.find('\n')),
            "chain,draw,mu,theta[Choate],theta[St. Paul’s],theta[],\"A[1,Choate]\",\"A[1,St. Paul’s]\",\"A[1,]\","
            "\"A[2,Choate]\",\"A[2,St. Paul’s]\",\"A[2,]\",z[1],z[2],lp__,diverging__,n_steps__");
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 4);
  EXPECT_NE(text.find("\n1,1,100.125,100.25,100.375,100.5,100.625,"), std::string::npos);
  EXPECT_NE(text.find("\n3,1,"), std::string::npos);
}

TEST(DrawsCsv, DoublesQuotesInNames) {
  RunData run = example_run(0);
  run.layout.coords["school"] = {"a\"b", "c\nd", "e"};
  EXPECT_NE(written(run, write_draws_csv).find("mu,\"theta[a\"\"b]\",\"theta[c\nd]\",theta[e],"), std::string::npos);
}

TEST(DrawsCsv, HoldsTheVariablesAskedFor) {
  const std::string text = written(example_run(1), write_draws_csv, {"z"});
  EXPECT_TRUE(text.starts_with("chain,draw,z[1],z[2],lp__,diverging__,n_steps__\n1,1,102,103,")) << text;
}

TEST(DrawsJson, NestsChainsDrawsAndAxes) {
  RunData run = example_run(5);
  run.warmup = numbered_chains(2, 1000);
  run.constants.layout.variables = {{"scale", {2, 2}, {"row", "side"}}, {"count", {}, {}}};
  run.constants.values = Vec{{1, 2, 3, 4, 5}};
  run.constants.attributes = {{"target", "y"}};
  run.tuning = {{0.5, Vec{{1, 2}}}};
  const auto json = nlohmann::json::parse(written(run, write_draws_json));
  for (std::size_t chain = 0; chain < 3; ++chain) {
    for (std::size_t draw = 0; draw < 5; ++draw) {
      const double* values = run.sampling[chain].values.data() + draw * 12;  // mu, theta[3], A row by row, z[2]
      EXPECT_EQ(json["posterior"]["mu"][chain][draw], values[0]);
      EXPECT_EQ(json["posterior"]["A"][chain][draw][1][2], values[9]);
      EXPECT_EQ(json["posterior"]["z"][chain][draw][1], values[11]);
      const double* stats = run.sampling[chain].stats.data() + draw * 3;
      EXPECT_EQ(json["sample_stats"]["diverging"][chain][draw], nlohmann::json(stats[1] == 1));
      EXPECT_EQ(json["sample_stats"]["n_steps"][chain][draw], stats[2]);
    }
  }
  EXPECT_EQ(json["posterior"]["mu"][0].size(), 5u);
  EXPECT_EQ(json["warmup_posterior"]["theta"][2][1][0], run.warmup[2].values[13]);
  EXPECT_EQ(json["warmup_sample_stats"]["lp"][0].size(), 2u);
  EXPECT_EQ(json["constant_data"]["scale"][1][0], 3);
  EXPECT_EQ(json["constant_data"]["count"], 5);
  EXPECT_EQ(json["dims"]["A"], nlohmann::json({"row", "school"}));
  EXPECT_EQ(json["coords"]["school"][1], "St. Paul’s");
  EXPECT_EQ(json["attrs"]["seed"], std::numeric_limits<std::uint64_t>::max());
  EXPECT_EQ(json["attrs"]["target"], "y");
  EXPECT_EQ(json["tuning"]["inverse_metric"][0][1], 2);
}

TEST(DrawsJson, SaysNullForWhatIsNotFinite) {
  RunData run = example_run(2);
  run.sampling[0].values[0] = std::numeric_limits<double>::infinity();
  run.sampling[0].values[12] = std::numeric_limits<double>::quiet_NaN();
  const auto json = nlohmann::json::parse(written(run, write_draws_json, {"mu"}));
  EXPECT_EQ(json["posterior"].size(), 1u);
  EXPECT_TRUE(json["posterior"]["mu"][0][0].is_null());
  EXPECT_TRUE(json["posterior"]["mu"][0][1].is_null());
  EXPECT_TRUE(json["posterior"]["mu"][1][1].is_number());
}

// More than one block of draws is in the run: 4 MiB of doubles are 524288.
TEST(DrawsJson, GoesFromBlockToBlock) {
  RunData run;
  run.layout.variables = {{"x", {}, {}}};
  run.sampling.resize(1);
  constexpr Index draws = 524288 + 3;
  for (Index i = 0; i < draws; ++i) run.sampling[0].append(std::vector<double>{double(i)}, {});
  const auto json = nlohmann::json::parse(written(run, write_draws_json));
  ASSERT_EQ(json["posterior"]["x"][0].size(), std::size_t{draws});
  for (const std::size_t i : {0, 524287, 524288, 524290}) EXPECT_EQ(json["posterior"]["x"][0][i], i);
}

TEST(TextOutput, LeavesNothingBehindWhenItIsNotCommitted) {
  const TempFolder folder;
  {
    TextOutput out(folder.file("a.csv"));
    out.write("half");
  }
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

}  // namespace
}  // namespace quasar
