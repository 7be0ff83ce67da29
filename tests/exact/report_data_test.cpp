// The numbers behind the pictures of a report against direct computation, and what hostile names become in its page.
//
// Draws are made with fixed seeds and compared with formulas that they must obey exactly, or up to a rounding that is
// stated: there is nothing statistical here.
#include "report/report_data.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include <quasar/diagnostics.hpp>
#include <quasar/rng.hpp>

#include "diagnostics/checks.hpp"
#include "report/autocorrelations.hpp"
#include "report/base64.hpp"
#include "report/densities.hpp"
#include "report/page.hpp"
#include "report/report.hpp"

namespace quasar {
namespace {

using Json = nlohmann::ordered_json;
using report::ParameterDraws;

constexpr double nan = std::numeric_limits<double>::quiet_NaN(), inf = std::numeric_limits<double>::infinity();

Run run_of(const RunData& data) {
  Run run;
  static_cast<RunHeader&>(run) = data;
  run.source = view_of(data);
  return run;
}

// mu is normal, tau positive and piled up at 0, k whole and full of ties, fixed never moves. A draw of chain 2 in eight
// diverges.
RunData example(Index draws = 400, std::size_t chains = 3) {
  RunData data;
  data.info.model = "example";
  data.info.sampler = "nuts";
  data.info.schedule = {100, draws, 1};
  data.layout.variables = {{"mu", {}, {}}, {"tau", {}, {}}, {"k", {}, {}, true}, {"fixed", {}, {}}};
  data.stats = {{"acceptance_rate", StatSpec::real},
                {"step_size", StatSpec::real},
                {"energy", StatSpec::real},
                {"diverging", StatSpec::boolean}};
  data.sampling.resize(chains);
  for (std::size_t chain = 0; chain < chains; ++chain) {
    Stream stream = Rng(11, chain).stream("draws");
    double mu = 0;
    for (Index i = 0; i < draws; ++i) {
      mu = 0.6 * mu + stream.normal();
      const double values[] = {mu, -std::log(stream.uniform()), std::floor(4 * stream.uniform()), 7};
      const bool diverging = chain == 2 && i % 8 == 3;
      const double stats[] = {0.8, 0.25, stream.normal(), diverging ? 1.0 : 0.0};
      data.sampling[chain].append(values, stats);
    }
  }
  return data;
}

std::vector<std::uint8_t> bytes_of(const std::string& text) {
  const std::string digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::vector<std::uint8_t> bytes;
  for (std::size_t at = 0; at < text.size(); at += 4) {
    std::size_t word = 0;
    for (std::size_t i = 0; i < 4; ++i) word = word << 6 | (text[at + i] == '=' ? 0 : digits.find(text[at + i]));
    for (const int shift : {16, 8, 0}) bytes.push_back(static_cast<std::uint8_t>(word >> shift));
  }
  const auto padding = static_cast<std::size_t>(std::count(text.begin(), text.end(), '='));
  bytes.resize(bytes.size() - padding);
  return bytes;
}

template <class Number>
std::vector<Number> numbers_of(const Json& text) {
  const auto bytes = bytes_of(text);
  std::vector<Number> numbers(bytes.size() / sizeof(Number));
  std::memcpy(numbers.data(), bytes.data(), numbers.size() * sizeof(Number));
  return numbers;
}

std::string encoded(std::string_view text) { return report::base64(std::as_bytes(std::span(text))); }

TEST(ReportData, Base64IsThatOfItsStandard) {  // the examples of RFC 4648, section 10
  EXPECT_EQ(encoded(""), "");
  EXPECT_EQ(encoded("f"), "Zg==");
  EXPECT_EQ(encoded("fo"), "Zm8=");
  EXPECT_EQ(encoded("foo"), "Zm9v");
  EXPECT_EQ(encoded("foobar"), "Zm9vYmFy");
}

TEST(ReportData, LimitsAreThoseOfTheDiagnosis) {
  const Json limits = report_data(run_of(example()))["limits"];
  EXPECT_EQ(limits["r_hat"], diagnostics::kRhatLimit);
  EXPECT_EQ(limits["ess_per_chain"], diagnostics::kEssPerChain);
  EXPECT_EQ(limits["e_bfmi"], diagnostics::kEbfmiLimit);
}

TEST(ReportData, TracesAreTheDrawsWithinHalfAStep) {
  const RunData data = example();
  const Json trace = report_data(run_of(data))["trace"];
  const std::vector<Index> at = trace["at"];
  EXPECT_EQ(at.front(), 1);
  EXPECT_EQ(at.back(), 400);
  const auto steps = numbers_of<std::uint16_t>(trace["data"]);
  ASSERT_EQ(steps.size(), 4 * 3 * at.size());
  std::size_t place = 0;
  for (Index parameter = 0; parameter < 4; ++parameter) {
    const Mat draws = draws_of(data, parameter);
    const double low = trace["low"][static_cast<std::size_t>(parameter)];
    const double high = trace["high"][static_cast<std::size_t>(parameter)];
    for (Index chain = 0; chain < 3; ++chain) {
      for (const Index draw : at) {
        const double shown = low + (high - low) * steps[place++] / 65534;
        ASSERT_NEAR(shown, draws(draw - 1, chain), 0.5001 * (high - low) / 65534);
      }
    }
  }
}

// By definition, with the rank of every draw counted one by one.
std::vector<std::uint16_t> ranks_counted(const Mat& draws, Index bins) {
  std::vector<std::uint16_t> counts(static_cast<std::size_t>(draws.cols() * bins));
  for (Index chain = 0; chain < draws.cols(); ++chain) {
    for (Index i = 0; i < draws.rows(); ++i) {
      const double x = draws(i, chain);
      const auto less = static_cast<double>((draws.array() < x).count());
      const auto equal = static_cast<double>((draws.array() == x).count());
      const double rank = less + (equal + 1) / 2;
      const auto bin =
          static_cast<Index>(std::floor(static_cast<double>(bins) * (rank - 0.5) / static_cast<double>(draws.size())));
      ++counts[static_cast<std::size_t>(chain * bins + bin)];
    }
  }
  return counts;
}

TEST(ReportData, RanksAreThoseOfAllChainsTogether) {
  const RunData data = example();
  const Json rank = report_data(run_of(data))["rank"];
  const Index bins = rank["bins"];
  EXPECT_EQ(bins, 20);
  EXPECT_EQ(rank["expected"], 20);
  const auto counts = numbers_of<std::uint16_t>(rank["data"]);
  std::vector<std::uint16_t> expected;
  for (Index parameter = 0; parameter < 4; ++parameter) {
    const auto of_one = ranks_counted(draws_of(data, parameter), bins);
    expected.insert(expected.end(), of_one.begin(), of_one.end());
  }
  EXPECT_EQ(counts, expected);
}

TEST(ReportData, AutocorrelationsAreTheFirstOfAll) {
  const RunData data = example();
  const Vec chain = draws_of(data, 0).col(1);
  const Vec all = autocorrelation(chain);
  const Vec first = report::first_autocorrelations(chain, 101);
  EXPECT_LT((first - all.head(101)).cwiseAbs().maxCoeff(), 1e-12);
  const Json json = report_data(run_of(data))["autocorrelation"];
  const Index lags = json["lags"];
  const auto values = numbers_of<std::int8_t>(json["data"]);
  for (Index lag = 0; lag < lags; ++lag) {
    EXPECT_NEAR(values[static_cast<std::size_t>(lags + lag)] / 127.0, all[lag], 0.5001 / 127);
  }
  EXPECT_EQ(values[static_cast<std::size_t>(3 * 3 * lags)], -128) << "a parameter that never moves has none";
}

double trapezoid(const Vec& heights, double low, double high) {
  const double step = (high - low) / static_cast<double>(heights.size() - 1);
  return step * (heights.sum() - 0.5 * (heights[0] + heights[heights.size() - 1]));
}

TEST(ReportData, DensitiesHaveMassOne) {
  const RunData data = example(1000);
  ParameterDraws draws;
  for (Index parameter = 0; parameter < 4; ++parameter) {
    const Mat values = draws_of(data, parameter);
    draws.take(values);
    const auto found = report::densities_of(draws, 128);
    for (Index chain = 0; chain < 3; ++chain) {
      EXPECT_NEAR(trapezoid(found.heights.col(chain), found.low, found.high), 1, 0.01) << parameter;
    }
  }
}

// tau has the density exp(-x), highest at its bound: without reflection half of that would be lost.
TEST(ReportData, DensitiesEndAtABound) {
  const RunData data = example(4000);
  const Mat values = draws_of(data, 1);
  ParameterDraws draws;
  draws.take(values);
  const auto found = report::densities_of(draws, 128);
  EXPECT_GE(found.low, 0);
  EXPECT_LT(found.low, 0.01);
  for (Index chain = 0; chain < 3; ++chain) EXPECT_GT(found.heights(0, chain), 0.75);
}

TEST(ReportData, AKernelHasTheBandwidthOfItsRule) {
  Mat values(5, 1);
  values << -2, -1, 0, 1, 2;  // sd 1.58; the shortest quarter (of five: two neighbours) says 1 / 0.637 = 1.57
  ParameterDraws draws;
  draws.take(values);
  const auto found = report::densities_of(draws, 401);
  const double width = 0.9 * (1 / 0.6372787) * std::pow(5, -0.2);
  const double step = (found.high - found.low) / 400;
  const auto exact = [&](double x) {
    double sum = 0;
    for (const double at : {-2, -1, 0, 1, 2}) sum += std::exp(-0.5 * std::pow((x - at) / width, 2));
    return sum / (5 * width * std::sqrt(2 * M_PI));
  };
  for (Index i = 0; i < 401; ++i) {
    EXPECT_NEAR(found.heights(i, 0), exact(found.low + step * static_cast<double>(i)), 2e-4);
  }
}

TEST(ReportData, PairsHoldEveryDivergentDraw) {
  const RunData data = example();
  const Json pairs = report_data(run_of(data))["pairs"];
  const std::vector<int> divergent = pairs["divergent"];
  EXPECT_EQ(std::count(divergent.begin(), divergent.end(), 1), 50);
  const std::vector<Index> parameters = pairs["parameters"];
  EXPECT_EQ(parameters.size(), 3U) << "what never moves is not worth a picture";
  const auto mu = static_cast<std::size_t>(std::find(parameters.begin(), parameters.end(), 0) - parameters.begin());
  const std::vector<double> shown = pairs["values"][mu];
  ASSERT_EQ(shown.size(), divergent.size());
  const Mat draws = draws_of(data, 0);
  for (Index k = 0; k < 50; ++k) {
    const double value = draws(8 * k + 3, 2);
    EXPECT_NEAR(shown[shown.size() - 50 + static_cast<std::size_t>(k)], value, 1e-5 * std::abs(value));
  }
}

TEST(ReportData, PairsAreOfParametersThatMove) {
  RunData data = example(100, 2);
  const Index still = 6;
  for (Index k = 0; k < still; ++k) data.layout.variables.push_back({"still" + std::string(1, char('a' + k)), {}, {}});
  for (ChainDraws& chain : data.sampling) {
    std::vector<double> wider;
    for (std::size_t i = 0; i < chain.values.size(); i += 4) {
      wider.insert(wider.end(), &chain.values[i], &chain.values[i] + 4);
      wider.insert(wider.end(), still, 0.1);
    }
    chain.values = wider;
  }
  const Json found = report_data(run_of(data));
  EXPECT_GE(found["order"][0], 3) << "what never moved is the worst";
  std::vector<Index> parameters = found["pairs"]["parameters"];
  std::sort(parameters.begin(), parameters.end());
  EXPECT_EQ(parameters, (std::vector<Index>{0, 1, 2}));
}

TEST(ReportData, EnergiesAreCentredAndHaveMassOne) {
  const RunData data = example();
  const Json energy = report_data(run_of(data))["energy"];
  const double low = energy["low"], high = energy["high"];
  for (const char* which : {"marginal", "transition"}) {
    const std::vector<double> heights = energy[which];
    const double width = (high - low) / static_cast<double>(heights.size());
    double mass = 0, mean = 0;
    for (std::size_t i = 0; i < heights.size(); ++i) {
      mass += heights[i] * width;
      mean += heights[i] * width * (low + width * (static_cast<double>(i) + 0.5));
    }
    EXPECT_GT(mass, 0.99);
    EXPECT_LE(mass, 1 + 1e-4);
    EXPECT_NEAR(mean, 0, 0.1);
  }
  EXPECT_NEAR(energy["e_bfmi"][1], ebfmi(statistic(data, "energy").col(1)), 1e-5);
  RunData thinned = data;
  thinned.info.schedule.thin = 2;
  EXPECT_TRUE(report_data(run_of(thinned))["energy"].is_null()) << "no steps between draws that are not in a row";
}

TEST(ReportData, StepsCountTheWarmup) {
  RunData data = example();
  data.warmup = data.sampling;
  for (ChainDraws& chain : data.warmup) {
    chain.draws = 100;
    chain.values.resize(400);
    chain.stats.resize(400);
    for (std::size_t i = 0; i < 100; ++i) chain.stats[4 * i + 1] = 1;
  }
  const Json steps = report_data(run_of(data))["steps"];
  EXPECT_EQ(steps[0]["name"], "step_size");
  EXPECT_EQ(steps[1]["name"], "acceptance_rate");
  EXPECT_EQ(steps[0]["warmup"], 100);
  EXPECT_EQ(steps[0]["at"][99], 100);
  EXPECT_EQ(steps[0]["at"][100], 102.5) << "the first four draws after 100 iterations";
  EXPECT_EQ(steps[0]["values"][0][99], 1);
  EXPECT_EQ(steps[0]["values"][0][100], 0.25);
}

TEST(ReportData, TheWorstComesFirst) {
  RunData data = example();
  for (std::size_t i = 0; i < 400; ++i) data.sampling[0].values[4 * i + 1] += 3;  // tau of chain 1 is elsewhere
  const Json order = report_data(run_of(data))["order"];
  EXPECT_EQ(order.size(), 4U);
  const std::vector<Index> numbers = order;
  EXPECT_LT(std::find(numbers.begin(), numbers.end(), 1), std::find(numbers.begin(), numbers.end(), 0));
  EXPECT_LT(std::find(numbers.begin(), numbers.end(), 1), std::find(numbers.begin(), numbers.end(), 2));
}

TEST(ReportData, OddRunsHaveAReport) {
  EXPECT_NO_THROW(report_page(run_of(example(1, 1))));
  EXPECT_NO_THROW(report_page(run_of(example(0, 2))));
  RunData wild = example(20, 2);
  wild.sampling[0].values[0] = nan;
  wild.sampling[0].values[4] = inf;
  wild.sampling[1].values[1] = 1e308;
  wild.sampling[1].values[5] = -1e308;
  for (std::size_t i = 0; i < 20; ++i) wild.sampling[1].values[4 * i + 2] = nan;
  const Json data = report_data(run_of(wild));
  const auto steps = numbers_of<std::uint16_t>(data["trace"]["data"]);
  EXPECT_EQ(steps[0], 65535);
  EXPECT_EQ(steps[1], 65535);
  EXPECT_NE(steps[2], 65535);
  EXPECT_NO_THROW(Json::parse(json_for_script(data)));
  RunData moments = example(0, 2);
  moments.moments.layout = moments.layout;
  moments.layout = {};
  moments.moments.chains = {{10, Vec::Zero(4), Vec::Ones(4)}, {10, Vec::Zero(4), Vec::Ones(4)}};
  const Json kept = report_data(run_of(moments));
  EXPECT_TRUE(kept["trace"].is_null() && kept["density"].is_null() && kept["pairs"].is_null());
  EXPECT_EQ(kept["names"].size(), 4U);
}

TEST(Report, TheCommandAndTheConfigurationRepeatTheRun) {
  RunData data = example();
  data.info.configuration =
      R"({"run": {"model": "logistic", "data": "it's \"mine\".csv", "sampler": "nuts", "chains": 2, "draws": 1000,
          "save_warmup": true, "out": "x.nc", "threads": 3, "seed": 1, "batch_size": 0},
          "model": {"prior_sd": 2.5, "standardize": false, "target": ""}, "sampler": {"max_depth": 10}})";
  const Json json = report_data(run_of(data));
  EXPECT_EQ(json["command"],
            "quasar sample --model logistic --data 'it'\\''s \"mine\".csv' --chains 2 --save-warmup "
            "--set model.standardize=false --set model.prior_sd=2.5");
  const std::string configuration = json["configuration"];
  EXPECT_NE(configuration.find("data = \"it's \\\"mine\\\".csv\"\n"), std::string::npos);
  EXPECT_EQ(configuration.find("threads"), std::string::npos);
  EXPECT_NE(configuration.find("[sampler]\nmax_depth = 10\n"), std::string::npos);
  data.info.configuration = "made by a program";
  EXPECT_EQ(report_data(run_of(data))["command"], "");
}

ConstantData constants(std::vector<Variable> variables, const std::vector<double>& values) {
  ConstantData data;
  data.layout.variables = std::move(variables);
  data.values = Eigen::Map<const Vec>(values.data(), std::ssize(values));
  return data;
}

TEST(ReportData, CalibrationOfIntervals) {
  RunData data = example();
  // Places in the law 0.02, 0.3, 0.5, 0.9: the interval of level 0.9 holds three of four, that of 0.5 two.
  data.held_out.predictions = constants(
      {{"observed", {4}, {}}, {"draws", {}, {}}, {"below", {4}, {}}, {"not_above", {4}, {}}, {"rmse", {}, {}}},
      {1, 2, 3, 4, 100, 0.02, 0.3, 0.5, 0.9, 0.02, 0.3, 0.5, 0.9, 0.7});
  const Json held_out = report_data(run_of(data))["held_out"];
  EXPECT_EQ(held_out["scores"], Json::parse(R"([["rmse", 0.7]])"));
  const Json calibration = held_out["calibration"];
  EXPECT_EQ(calibration["kind"], "interval");
  EXPECT_EQ(calibration["expected"][4], 0.5);
  EXPECT_EQ(calibration["observed"][4], 0.5);
  EXPECT_EQ(calibration["observed"][8], 0.75);
  EXPECT_EQ(calibration["count"][0], 4);
}

TEST(ReportData, CalibrationOfProbabilities) {
  RunData data = example();
  data.held_out.predictions =
      constants({{"probability", {3, 2}, {}}, {"observed", {3}, {}}}, {0.75, 0.25, 0.72, 0.28, 0.1, 0.9, 0, 1, 1});
  const Json calibration = report_data(run_of(data))["held_out"]["calibration"];
  EXPECT_EQ(calibration, Json::parse(R"({"kind": "probability", "expected": [0.265, 0.9], "observed": [0.5, 1.0],
                                         "count": [2, 1]})"));
}

TEST(Page, NothingInTheDataEndsTheScript) {
  const Json hostile = {{"</script><script>alert(1)</script>", "<!--"}, {"\xe2\x80\xa8", "\xff"}};
  const std::string text = json_for_script(hostile);
  EXPECT_EQ(text, R"({"\u003c/script>\u003cscript>alert(1)\u003c/script>":"\u003c!--","\u2028":"\ufffd"})");
  EXPECT_EQ(Json::parse(text).begin().key(), hostile.begin().key());
}

TEST(Page, HtmlIsEscaped) {
  EXPECT_EQ(escape_html("<a href=\"x\" title='y'>&amp;</a>"),
            "&lt;a href=&quot;x&quot; title=&#39;y&#39;&gt;&amp;amp;&lt;/a&gt;");
  EXPECT_EQ(escape_html("\xff"), "\xef\xbf\xbd");
}

TEST(Page, APlaceInAPartIsNotFilledAgain) {
  EXPECT_EQ(fill_page("<{{a}}|{{b}}>", {{"a", "{{b}}"}, {"b", "{{a}}"}}), "<{{b}}|{{a}}>");
  EXPECT_THROW(fill_page("{{c}}", {{"a", "1"}}), std::logic_error);
}

TEST(Report, HostileNamesAreHarmless) {
  RunData data = example(20, 2);
  data.info.model = "</title><script>alert(1)</script>";
  data.info.data_source = "{{data}}\xff.csv";
  data.layout.variables[0].name = "<script>alert(2)</script>";
  data.layout.variables[1].name = "{{script}}";
  data.check = R"({"warnings": ["<script>alert(3)</script>"]})";
  const std::string page = report_page(run_of(data));
  EXPECT_EQ(page.find("<script>alert"), std::string::npos);
  EXPECT_NE(page.find("\\u003cscript>alert(2)"), std::string::npos);
  EXPECT_NE(page.find("{{script}}"), std::string::npos);
  EXPECT_NE(page.find("<title>&lt;/title&gt;&lt;script&gt;alert(1)"), std::string::npos);
  const std::size_t begin = page.find("id=\"data\">") + 10;
  const Json json = Json::parse(page.substr(begin, page.find("</script>", begin) - begin));
  EXPECT_EQ(json["names"][0], "<script>alert(2)</script>");
  EXPECT_EQ(json["problems"].back()["what"], "<script>alert(3)</script>");
}

}  // namespace
}  // namespace quasar
