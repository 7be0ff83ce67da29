// The laws of Poisson, binomial, categorical and multinomial draws, and the bounds that make their rejection exact.
#include <boost/math/distributions/binomial.hpp>
#include <boost/math/distributions/normal.hpp>
#include <boost/math/distributions/poisson.hpp>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include <quasar/rng.hpp>

#include "core/saddle_point.hpp"
#include "core/transformed_rejection.hpp"
#include "support/laws.hpp"

namespace quasar {
namespace {

using test::vec;

Stream stream(std::string_view role) { return Rng(20240229).stream(role); }

std::string text(double x) { return std::to_string(std::log10(x)); }  // names a stream by a parameter

TEST(SaddlePoint, IsTheLogarithmOfTheProbability) {
  const auto expect_log = [](double value, double probability) {
    EXPECT_NEAR(value, std::log(probability), 1e-12 * std::max(1.0, std::abs(std::log(probability))));
  };
  for (const double mean : {1e-3, 0.7, 10.0, 31.5, 800.0, 5e4})
    for (const double z : {-30.0, -3.0, -1.0, -0.1, 0.0, 0.2, 1.0, 4.0, 20.0}) {
      const double k = std::floor(std::max(0.0, mean + z * std::sqrt(mean)));
      const double probability = boost::math::pdf(boost::math::poisson(mean), k);
      if (probability > 0) expect_log(log_poisson(k, mean), probability);
    }
  for (const double n : {1.0, 2.0, 15.0, 40.0, 1000.0, 1e5})
    for (const double p : {1e-4, 0.1, 0.5, 0.93})
      for (const double share : {0.0, 0.01, 0.1, 0.45, 0.5, 0.9, 1.0}) {
        const double k = std::floor(share * n), probability = boost::math::pdf(boost::math::binomial(n, p), k);
        if (probability > 0) expect_log(log_binomial(k, n, p), probability);
      }
}

// What makes a rejection sampler exact: the acceptance probability is one, and the squeeze lies below it.
template <class LogProbability>
void expect_exact_rejection(const TransformedRejection& method, double largest, LogProbability log_f) {
  constexpr int points = 20001;
  for (int i = 0; i < points; ++i) {
    const double u = (i + 0.5) / points - 0.5, k = method.proposal(u);
    const bool possible = k >= 0 && k <= largest;
    const double log_acceptance = possible ? method.log_acceptance(u, log_f(k)) : -HUGE_VAL;
    ASSERT_LE(log_acceptance, 0) << u;
    ASSERT_TRUE(!method.squeezed(u) || log_acceptance >= std::log(method.squeeze)) << u;
  }
}

TEST(TransformedRejection, IsExactForPoisson) {
  for (double mean = 10; mean < 1e6; mean *= mean < 100 ? 1.03 : 1.7) {
    SCOPED_TRACE(mean);
    expect_exact_rejection(poisson_rejection(mean), HUGE_VAL, [=](double k) { return log_poisson(k, mean); });
  }
}

TEST(TransformedRejection, IsExactForBinomial) {
  for (const double p : {0.5, 0.4, 0.25, 0.1, 0.01, 1e-5})
    for (double mean = 10; mean < 1e5; mean *= mean < 50 ? 1.1 : 2.5) {
      const double n = std::ceil(mean / p);
      SCOPED_TRACE(testing::Message() << n << ' ' << p);
      expect_exact_rejection(binomial_rejection(n, p), n, [=](double k) { return log_binomial(k, n, p); });
    }
}

TEST(Poisson, Law) {
  for (const double mean : {0.01, 0.5, 3.0, 9.999, 10.0, 10.5, 14.0, 28.4, 100.0, 5000.0}) {
    SCOPED_TRACE(mean);
    Stream s = stream("poisson " + text(mean));
    const boost::math::poisson law(mean);
    test::expect_probabilities([&] { return s.poisson(mean); },
                               static_cast<std::int64_t>(mean + 12 * std::sqrt(mean) + 20),
                               [&](std::int64_t k) { return boost::math::pdf(law, static_cast<double>(k)); });
  }
}

TEST(Poisson, LargeMeansAreNormal) {
  for (const double mean : {1e12, 1e18}) {
    SCOPED_TRACE(mean);
    Stream s = stream("poisson " + text(mean));
    test::expect_law([&] { return (static_cast<double>(s.poisson(mean)) - mean) / std::sqrt(mean); },
                     boost::math::normal());
  }
}

TEST(Poisson, MeanZeroIsZero) { EXPECT_EQ(stream("poisson").poisson(0), 0); }

TEST(Binomial, Law) {
  const std::pair<std::int64_t, double> cases[] = {
      {1, 0.3},   {7, 0.5},    {19, 0.5},    {20, 0.5},        {21, 0.49},  {25, 0.4},          {34, 0.7},
      {100, 0.1}, {100, 0.95}, {1000, 0.01}, {1000, 1 - 1e-3}, {2000, 0.5}, {1000000000, 3e-9}, {1000000000, 5e-8}};
  for (const auto& trial : cases) {
    const std::int64_t n = trial.first;
    const double p = trial.second;
    SCOPED_TRACE(testing::Message() << n << ' ' << p);
    Stream s = stream("binomial " + std::to_string(n) + text(p));
    const double trials = static_cast<double>(n);
    const boost::math::binomial law(trials, p);
    const double reach = trials * p + 12 * std::sqrt(trials * p * (1 - p)) + 20;
    test::expect_probabilities([&] { return s.binomial(n, p); }, std::min(n, static_cast<std::int64_t>(reach)),
                               [&](std::int64_t k) { return boost::math::pdf(law, static_cast<double>(k)); });
  }
}

TEST(Binomial, LargeCountsAreNormal) {
  const std::pair<std::int64_t, double> cases[] = {{std::int64_t{1} << 50, 0.25},
                                                   {std::numeric_limits<std::int64_t>::max(), 0.7}};
  for (const auto& trial : cases) {
    const std::int64_t n = trial.first;
    const double p = trial.second;
    SCOPED_TRACE(testing::Message() << n << ' ' << p);
    Stream s = stream("binomial " + std::to_string(n));
    const double mean = static_cast<double>(n) * p, deviation = std::sqrt(mean * (1 - p));
    test::expect_law([&] { return (static_cast<double>(s.binomial(n, p)) - mean) / deviation; }, boost::math::normal());
  }
}

TEST(Binomial, CertainOutcomes) {
  constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
  Stream s = stream("binomial");
  for (const std::int64_t n : {std::int64_t{0}, std::int64_t{1}, std::int64_t{50}, most}) {
    EXPECT_EQ(s.binomial(n, 0), 0);
    EXPECT_EQ(s.binomial(n, 1), n);
  }
  EXPECT_EQ(s.binomial(0, 0.5), 0);
}

TEST(Categorical, Law) {
  const Vec weights = vec({0, 2, 0, 1, 5, 0.5, 0});
  Stream s = stream("categorical");
  test::expect_probabilities([&] { return s.categorical(weights); }, 6,
                             [&](std::int64_t k) { return weights[k] / weights.sum(); });
  for (int i = 0; i < 100; ++i) EXPECT_EQ(s.categorical(vec({0, 5e-324, 0})), 1);  // u times the sum rounds to the sum
  EXPECT_EQ(s.categorical(vec({0, 1e308})), 1);
}

TEST(Multinomial, OneDrawIsCategorical) {
  const Vec weights = vec({0, 2, 1, 5, 0});
  Stream s = stream("multinomial one");
  std::vector<std::int64_t> counts(5);
  const auto chosen = [&] {
    s.multinomial(1, weights, counts);
    EXPECT_EQ(std::accumulate(counts.begin(), counts.end(), std::int64_t{0}), 1);
    return std::find(counts.begin(), counts.end(), 1) - counts.begin();
  };
  test::expect_probabilities(
      chosen, 4, [&](std::int64_t k) { return weights[k] / weights.sum(); }, 40000);
}

TEST(Multinomial, MarginalsAreBinomial) {
  const Vec weights = vec({3, 0.5, 0, 1, 2});
  constexpr std::int64_t n = 60;
  Stream s = stream("multinomial");
  std::vector<std::int64_t> counts(5);
  for (const Index j : {0, 1, 3, 4}) {
    const boost::math::binomial law(n, weights[j] / weights.sum());
    const auto draw = [&] {
      s.multinomial(n, weights, counts);
      EXPECT_EQ(counts[2], 0);
      EXPECT_EQ(std::accumulate(counts.begin(), counts.end(), std::int64_t{0}), n);
      return counts[j];
    };
    test::expect_probabilities(
        draw, n, [&](std::int64_t k) { return boost::math::pdf(law, static_cast<double>(k)); }, 20000);
  }
}

TEST(Multinomial, DealsEverythingWhateverTheScale) {
  std::vector<std::int64_t> counts(4);
  Stream s = stream("multinomial scale");
  for (int i = 0; i < 1000; ++i) {
    s.multinomial(1000, vec({1, 1e-17, 1e-30, 0}), counts);
    EXPECT_EQ(counts[0] + counts[1] + counts[2], 1000);
    EXPECT_EQ(counts[3], 0);
  }
}

}  // namespace
}  // namespace quasar
