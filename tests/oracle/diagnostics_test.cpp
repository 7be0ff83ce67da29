// Diagnostics against ArviZ and R's posterior (stored values), against O(n^2) sums, and against the known
// autocorrelation time of AR(1).
//
// The only statistical assertions are those of KnownAutocorrelation, one per autocorrelation.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <ostream>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include <quasar/diagnostics.hpp>

#include "data/diagnostics_reference.hpp"
#include "posterior_differences.hpp"
#include "support/statistics.hpp"

namespace quasar::reference {

void PrintTo(const DiagnosticsCase& instance, std::ostream* out) { *out << instance.name; }

}  // namespace quasar::reference

namespace quasar {
namespace {

using reference::DiagnosticsCase;
using reference::kDiagnosticsCases;
using reference::kInf;
using reference::kNaN;

constexpr double kOracleTolerance = 1e-8;
constexpr int kStatisticalAssertions = 4;

Mat draws_of(const DiagnosticsCase& expected) {
  return Eigen::Map<const Mat>(expected.draws.data(), expected.draws_per_chain, expected.chains);
}

// The absolute part is for statistics that are zero.
bool same(double actual, double expected, double tolerance = kOracleTolerance) {
  if (std::isnan(expected)) return std::isnan(actual);
  if (std::isinf(expected)) return actual == expected;
  return std::abs(actual - expected) <= tolerance * std::abs(expected) + 1e-13;
}

void expect_same(double actual, double expected, const std::string& what, double tolerance = kOracleTolerance) {
  EXPECT_TRUE(same(actual, expected, tolerance)) << what << ": " << actual << " instead of " << expected;
}

void expect_equal_summaries(const Summary& a, const Summary& b) {
  expect_same(a.mean, b.mean, "mean", 0);
  expect_same(a.sd, b.sd, "sd", 0);
  expect_same(a.q5, b.q5, "q5", 0);
  expect_same(a.q50, b.q50, "q50", 0);
  expect_same(a.q95, b.q95, "q95", 0);
  expect_same(a.mcse_mean, b.mcse_mean, "mcse_mean", 0);
  expect_same(a.ess_bulk, b.ess_bulk, "ess_bulk", 0);
  expect_same(a.ess_tail, b.ess_tail, "ess_tail", 0);
  expect_same(a.rhat, b.rhat, "rhat", 0);
}

struct Statistic {
  const char* name;
  double reference::Statistics::*stored;
  double (*compute)(const Mat& draws);
};

constexpr Statistic kStatistics[] = {
    {"mean", &reference::Statistics::mean, [](const Mat& x) { return mean(x); }},
    {"sd", &reference::Statistics::sd, [](const Mat& x) { return sd(x); }},
    {"q5", &reference::Statistics::q5, [](const Mat& x) { return quantile(x, 0.05); }},
    {"q50", &reference::Statistics::q50, [](const Mat& x) { return quantile(x, 0.50); }},
    {"q95", &reference::Statistics::q95, [](const Mat& x) { return quantile(x, 0.95); }},
    {"rhat", &reference::Statistics::rhat, [](const Mat& x) { return rhat(x); }},
    {"ess_bulk", &reference::Statistics::ess_bulk, [](const Mat& x) { return ess_bulk(x); }},
    {"ess_tail", &reference::Statistics::ess_tail, [](const Mat& x) { return ess_tail(x); }},
    {"ess_mean", &reference::Statistics::ess_mean, [](const Mat& x) { return ess_mean(x); }},
    {"ess_q25", &reference::Statistics::ess_q25, [](const Mat& x) { return ess_quantile(x, 0.25); }},
    {"mcse_mean", &reference::Statistics::mcse_mean, [](const Mat& x) { return mcse_mean(x); }},
    {"mcse_sd", &reference::Statistics::mcse_sd, [](const Mat& x) { return mcse_sd(x); }},
    {"mcse_q5", &reference::Statistics::mcse_q5, [](const Mat& x) { return mcse_quantile(x, 0.05); }},
    {"mcse_q50", &reference::Statistics::mcse_q50, [](const Mat& x) { return mcse_quantile(x, 0.50); }},
    {"mcse_q95", &reference::Statistics::mcse_q95, [](const Mat& x) { return mcse_quantile(x, 0.95); }},
};

class Oracle : public testing::TestWithParam<DiagnosticsCase> {};

TEST_P(Oracle, ArvizSaysTheSame) {
  const Mat draws = draws_of(GetParam());
  for (const Statistic& statistic : kStatistics) {
    expect_same(statistic.compute(draws), GetParam().arviz.*statistic.stored, statistic.name);
  }
}

TEST_P(Oracle, PosteriorSaysTheSameUnlessListed) {
  const Mat draws = draws_of(GetParam());
  for (const Statistic& statistic : kStatistics) {
    const double actual = statistic.compute(draws);
    const double expected = GetParam().posterior.*statistic.stored;
    if (const reference::Difference* known = reference::known_difference(GetParam().name, statistic.name)) {
      EXPECT_FALSE(same(actual, expected)) << statistic.name << " no longer differs: " << known->reason;
    } else {
      expect_same(actual, expected, statistic.name);
    }
  }
}

void expect_same_list(const Vec& actual, const std::vector<double>& expected, const std::string& what) {
  for (std::size_t i = 0; i < expected.size(); ++i) {
    expect_same(actual[static_cast<Index>(i)], expected[i], what + " " + std::to_string(i));
  }
}

TEST_P(Oracle, Autocorrelation) {
  const Vec actual = autocorrelation(draws_of(GetParam()).col(0));
  ASSERT_EQ(actual.size(), GetParam().draws_per_chain);
  expect_same_list(actual, GetParam().autocorrelation, "ArviZ, lag");
  expect_same_list(actual, GetParam().posterior_autocorrelation, "posterior, lag");
}

TEST_P(Oracle, BothAutocorrelationTimes) {
  const Mat draws = draws_of(GetParam());
  const double time = GetParam().autocorrelation_time;
  expect_same(autocorrelation_time(draws), time, "1 + 2 sum rho");
  expect_same(one_sided_autocorrelation_time(draws), 1 + (time - 1) / 2, "1 + sum rho");
}

TEST_P(Oracle, EnergyFractionOfMissingInformation) {
  const Mat draws = draws_of(GetParam());
  Vec actual(draws.cols());
  for (Index chain = 0; chain < draws.cols(); ++chain) actual[chain] = ebfmi(draws.col(chain));
  expect_same_list(actual, GetParam().ebfmi, "ArviZ, chain");
  expect_same_list(actual, GetParam().posterior_ebfmi, "R, chain");
}

TEST_P(Oracle, SummaryEqualsTheSingleStatistics) {
  const Mat draws = draws_of(GetParam());
  const Summary separate{mean(draws),
                         sd(draws),
                         quantile(draws, 0.05),
                         quantile(draws, 0.50),
                         quantile(draws, 0.95),
                         mcse_mean(draws),
                         ess_bulk(draws),
                         ess_tail(draws),
                         rhat(draws)};
  expect_equal_summaries(summarize(draws), separate);
}

INSTANTIATE_TEST_SUITE_P(Diagnostics, Oracle, testing::ValuesIn(kDiagnosticsCases), [](const auto& instance) {
  std::string name = instance.param.name;
  std::replace(name.begin(), name.end(), '-', 'm');
  std::replace(name.begin(), name.end(), '.', 'p');
  return name;
});

// Box and Muller: unlike std::normal_distribution the same numbers in every standard library.
class Normals {
 public:
  explicit Normals(std::uint64_t seed) : engine_(seed) {}
  double operator()() {
    const double radius = std::sqrt(-2 * std::log(uniform()));
    return radius * std::cos(2 * std::numbers::pi * uniform());
  }

 private:
  double uniform() { return (static_cast<double>(engine_() >> 11) + 0.5) * 0x1p-53; }
  std::mt19937_64 engine_;
};

// Stationary from the first draw, variance 1.
Mat ar1_chains(double rho, Index draws, Index chains, Normals& normal) {
  Mat x(draws, chains);
  for (auto chain : x.colwise()) {
    chain[0] = normal();
    for (Index t = 1; t < draws; ++t) chain[t] = rho * chain[t - 1] + std::sqrt(1 - rho * rho) * normal();
  }
  return x;
}

// A window of M lags estimates tau with relative variance 2 (2M + 1) / S (Madras and Sokal 1988). The sequence stops
// about where rho^M reaches the noise 1/sqrt(S) of a single lag.
double relative_sd_of_time(double rho, double size) {
  const double window = rho == 0 ? 1 : std::max(1.0, 0.5 * std::log(size) / -std::log(std::abs(rho)));
  return std::sqrt(2 * (2 * window + 1) / size);
}

class KnownAutocorrelation : public testing::TestWithParam<double> {};

// tau = (1 + rho) / (1 - rho). The mean of tau_hat / tau over independent replicates may differ from 1 by chance, and
// by the bias of a sum that stops where noise first makes it negative. That bias is smaller than the standard deviation
// of one estimate, since it consists of the same noise; the threshold allows for it in full.
TEST_P(KnownAutocorrelation, EffectiveSampleSizeOfTheMean) {
  constexpr std::uint64_t kSeed = 1992;
  constexpr Index kReplicates = 100, kDraws = 5000, kChains = 4;
  const double rho = GetParam();
  const auto size = static_cast<double>(kDraws * kChains);
  const double true_ess = size * (1 - rho) / (1 + rho);

  Normals normal(kSeed);
  Vec ratio(kReplicates);
  for (double& r : ratio) r = true_ess / ess_mean(ar1_chains(rho, kDraws, kChains, normal));
  const double z = test::z_threshold(test::per_assertion(test::family_alpha, kStatisticalAssertions));
  const double chance = z * sd(ratio) / std::sqrt(static_cast<double>(kReplicates));
  EXPECT_NEAR(ratio.mean(), 1, relative_sd_of_time(rho, size) + chance) << "seed " << kSeed;
}

INSTANTIATE_TEST_SUITE_P(Diagnostics, KnownAutocorrelation, testing::Values(-0.5, 0.0, 0.5, 0.9));

TEST(Diagnostics, StronglyAntitheticChainsReachTheCap) {
  Normals normal(3);
  const Mat draws = ar1_chains(-0.95, 1000, 4, normal);  // the truth, 39 S, lies above S log10(S)
  EXPECT_DOUBLE_EQ(ess_mean(draws), 4000 * std::log10(4000));
}

TEST(Diagnostics, AutocorrelationEqualsTheDirectSum) {
  Normals normal(4);
  for (const Index n : {2, 3, 7, 50, 97, 128}) {
    const Vec chain = ar1_chains(0.6, n, 1, normal).array() + 10;
    const Vec centred = chain.array() - chain.mean();
    const Vec actual = autocorrelation(chain);
    for (Index lag = 0; lag < n; ++lag) {
      const double direct = centred.head(n - lag).dot(centred.tail(n - lag)) / centred.squaredNorm();
      EXPECT_NEAR(actual[lag], direct, 1e-13) << "n " << n << ", lag " << lag;
    }
  }
}

TEST(Diagnostics, RankStatisticsIgnoreMonotoneTransformations) {
  Normals normal(5);
  const Mat draws = ar1_chains(0.5, 201, 3, normal);
  const Mat cubed = draws.array().cube();
  EXPECT_EQ(ess_bulk(cubed), ess_bulk(draws));
  EXPECT_NE(ess_mean(cubed), ess_mean(draws));
}

TEST(Diagnostics, ShiftAndScaleDoNotMatter) {
  Normals normal(6);
  const Mat draws = ar1_chains(0.5, 200, 3, normal);
  const Mat moved = -3 * draws.array() + 7;
  expect_same(ess_mean(moved), ess_mean(draws), "ess_mean");
  expect_same(mcse_mean(moved), 3 * mcse_mean(draws), "mcse_mean");
  expect_same(mcse_sd(moved), 3 * mcse_sd(draws), "mcse_sd");
  expect_same(rhat(moved), rhat(draws), "rhat");
}

TEST(Diagnostics, ConstantDrawsHaveNoErrorEvenWhereTheirSumRounds) {
  const Summary summary = summarize(Mat::Constant(30, 3, 0.1));
  EXPECT_EQ(summary.mean, 0.1);
  EXPECT_EQ(summary.sd, 0);
  EXPECT_EQ(summary.mcse_mean, 0);
  EXPECT_EQ(summary.q5, 0.1);
  EXPECT_EQ(summary.ess_bulk, 90);
  EXPECT_EQ(summary.ess_tail, 90);
  EXPECT_TRUE(std::isnan(summary.rhat));
  EXPECT_TRUE(autocorrelation(Vec::Constant(30, 0.1)).array().isNaN().all());
}

TEST(Diagnostics, TiedNeighboursGiveExactlyTheirQuantile) {
  const Mat draws = Mat::Constant(21, 3, 3.1);
  const double weight = 62 * 0.05 - 3;
  ASSERT_LT((1 - weight) * 3.1 + weight * 3.1, 3.1) << "interpolation would not round here: choose another value";
  EXPECT_EQ(quantile(draws, 0.05), 3.1);
}

TEST(Diagnostics, QuantilesOfInfiniteDraws) {
  const Vec draws{{-kInf, -kInf, 1, 2, kInf}};
  EXPECT_EQ(quantile(draws, 0), -kInf);
  EXPECT_EQ(quantile(draws, 0.1), -kInf);
  EXPECT_EQ(quantile(draws, 0.4), -kInf);
  EXPECT_EQ(quantile(draws, 0.5), 1);
  EXPECT_EQ(quantile(draws, 0.75), 2);
  EXPECT_EQ(quantile(draws, 0.8), kInf);
  EXPECT_EQ(quantile(draws, 1), kInf);
}

TEST(Diagnostics, EmptyInputIsUndefined) {
  const Mat none(0, 4);
  EXPECT_TRUE(std::isnan(mean(none)));
  EXPECT_TRUE(std::isnan(quantile(none, 0.5)));
  EXPECT_TRUE(std::isnan(rhat(none)));
  EXPECT_TRUE(std::isnan(mcse_quantile(none, 0.5)));
  EXPECT_TRUE(std::isnan(summarize(none).mean));
  EXPECT_TRUE(std::isnan(summarize(Mat(10, 0)).ess_bulk));
  EXPECT_EQ(autocorrelation(Vec()).size(), 0);
}

TEST(Diagnostics, OverflowingVarianceIsUndefined) {
  Normals normal(7);
  const Mat huge = 1e200 * ar1_chains(0, 40, 2, normal);
  EXPECT_TRUE(std::isnan(ess_mean(huge)));
  EXPECT_TRUE(std::isfinite(ess_bulk(huge)));
}

TEST(Diagnostics, ProbabilityOutsideTheUnitIntervalIsAnError) {
  const Mat draws = Mat::Random(10, 2);
  EXPECT_THROW(quantile(draws, -0.01), std::invalid_argument);
  EXPECT_THROW(ess_quantile(draws, 1.01), std::invalid_argument);
  EXPECT_THROW(mcse_quantile(draws, kNaN), std::invalid_argument);
}

TEST(Diagnostics, StridedDrawsGiveTheSameSummary) {
  Normals normal(8);
  const Mat wide = ar1_chains(0.3, 101, 6, normal);
  const Mat by_row = wide.topRows(100).leftCols(3).transpose();  // one row per chain
  const Mat copy = wide.topRows(100).leftCols(3);
  expect_equal_summaries(summarize(wide.topRows(100).leftCols(3)), summarize(copy));
  expect_equal_summaries(summarize(by_row.transpose()), summarize(copy));
}

TEST(Diagnostics, SummarizerForgetsEarlierParameters) {
  Normals normal(9);
  const Mat first = ar1_chains(0.9, 101, 3, normal);
  const Mat second = ar1_chains(-0.2, 101, 3, normal);
  Summarizer summarizer(101, 3);
  summarizer(first);
  expect_equal_summaries(summarizer(second), summarize(second));
  EXPECT_THROW(summarizer(Mat::Zero(100, 3)), std::invalid_argument);
}

}  // namespace
}  // namespace quasar
