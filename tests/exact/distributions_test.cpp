// The distributions built on uniforms and normals: their laws over ordinary and extreme parameters, exact small cases,
// and hostile arguments.
#include <boost/math/distributions/beta.hpp>
#include <boost/math/distributions/binomial.hpp>
#include <boost/math/distributions/exponential.hpp>
#include <boost/math/distributions/gamma.hpp>
#include <boost/math/distributions/normal.hpp>
#include <boost/math/distributions/poisson.hpp>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <numeric>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "support/statistics.hpp"
#include <quasar/rng.hpp>

namespace quasar {
namespace {

// Double precision throughout: the default evaluates every cdf in long double, five times slower.
using Plain = boost::math::policies::policy<boost::math::policies::promote_double<false>>;
using GammaLaw = boost::math::gamma_distribution<double, Plain>;
using BetaLaw = boost::math::beta_distribution<double, Plain>;

constexpr int statistical_assertions = 120;  // an upper bound, checked below

void expect_plausible(double p_value) {
  static int made = 0;
  ASSERT_LE(++made, statistical_assertions);
  EXPECT_GT(p_value, test::per_assertion(test::family_alpha, statistical_assertions));
}

Stream stream(std::string_view role) { return Rng(20240229).stream(role); }

template <class Draw>
std::vector<double> sorted_sample(int n, Draw draw) {
  std::vector<double> sample(n);
  for (double& x : sample) x = draw();
  std::sort(sample.begin(), sample.end());
  return sample;
}

template <class Draw, class Law>
void expect_law(Draw draw, const Law& law, int n = 40000) {
  expect_plausible(test::ks_p_value(sorted_sample(n, draw), [&](double x) { return boost::math::cdf(law, x); }));
}

// Counts of the sample between consecutive edges, against the probabilities there: for laws with atoms at the ends of
// the double range, where Kolmogorov and Smirnov do not apply.
template <class Draw, class Cdf>
void expect_cells(Draw draw, const std::vector<double>& edges, Cdf cdf, int n = 40000) {
  std::vector<double> observed(edges.size() + 1), expected;
  for (int i = 0; i < n; ++i) observed[std::upper_bound(edges.begin(), edges.end(), draw()) - edges.begin()] += 1;
  double below = 0;
  for (const double edge : edges) {
    expected.push_back(n * (cdf(edge) - below));
    below = cdf(edge);
  }
  expected.push_back(n * (1 - below));
  expect_plausible(test::goodness_of_fit_p_value(observed, expected));
}

// Every value that occurs, against its probability.
template <class Draw, class Probability>
void expect_probabilities(Draw draw, std::int64_t largest, Probability probability, int n = 200000) {
  std::vector<double> observed(largest + 1), expected(largest + 1);
  for (int i = 0; i < n; ++i) {
    const std::int64_t k = draw();
    ASSERT_GE(k, 0);
    ASSERT_LE(k, largest);
    observed[k] += 1;
  }
  for (std::int64_t k = 0; k <= largest; ++k) {
    expected[k] = n * probability(k);
    EXPECT_TRUE(expected[k] > 0 || observed[k] == 0) << k;
  }
  expect_plausible(test::goodness_of_fit_p_value(observed, expected));
}

// Outcomes of a draw, all equally likely.
template <class Draw>
void expect_equally_likely(Draw draw, std::size_t outcomes, int n = 60000) {
  std::map<std::vector<Index>, double> seen;
  for (int i = 0; i < n; ++i) seen[draw()] += 1;
  ASSERT_EQ(seen.size(), outcomes);
  std::vector<double> observed;
  for (const auto& [outcome, count] : seen) observed.push_back(count);
  expect_plausible(test::goodness_of_fit_p_value(
      observed, std::vector<double>(outcomes, static_cast<double>(n) / static_cast<double>(outcomes))));
}

Vec vec(std::initializer_list<double> values) {
  Vec v(static_cast<Index>(values.size()));
  std::copy(values.begin(), values.end(), v.begin());
  return v;
}

std::string text(double x) { return std::to_string(std::log10(x)); }  // names a stream by a parameter

// ---- continuous ----

TEST(Exponential, Law) {
  Stream s = stream("exponential");
  expect_law([&] { return s.exponential(); }, boost::math::exponential(1));
}

TEST(Gamma, Law) {
  for (const double shape : {0.05, 0.3, 0.9, 0.999, 1.0, 1.001, 1.5, 3.0, 30.0, 1e4, 1e8}) {
    SCOPED_TRACE(shape);
    Stream s = stream("gamma " + text(shape));
    expect_law([&] { return s.gamma(shape); }, GammaLaw(shape));
  }
}

TEST(Gamma, LargeShapesAreNormal) {
  for (const double shape : {1e15, 1e25}) {  // the skewness, 2 / sqrt(shape), is out of sight
    SCOPED_TRACE(shape);
    Stream s = stream("gamma " + text(shape));
    expect_law([&] { return (s.gamma(shape) - shape) / std::sqrt(shape); }, boost::math::normal());
  }
}

TEST(Gamma, TinyShapesReachDownToTheSmallestNumbers) {
  for (const double shape : {1e-2, 3e-3, 1e-3}) {
    SCOPED_TRACE(shape);
    Stream s = stream("gamma " + text(shape));
    const std::vector<double> edges = {1e-320, 1e-300, 1e-250, 1e-150, 1e-80, 1e-30, 1e-10, 1e-3, 0.1, 1};
    expect_cells([&] { return s.gamma(shape); }, edges, [&](double x) { return boost::math::cdf(GammaLaw(shape), x); });
  }
  Stream s = stream("gamma");
  EXPECT_EQ(s.gamma(1e-300), 0);
}

TEST(Beta, Law) {
  const std::pair<double, double> shapes[] = {{0.1, 0.1}, {0.5, 0.5}, {0.2, 5}, {1, 1}, {2, 3}, {30, 0.7}, {1e4, 2e4}};
  for (const auto& [a, b] : shapes) {
    SCOPED_TRACE(testing::Message() << a << ' ' << b);
    Stream s = stream("beta " + text(a) + text(b));
    expect_cells([&] { return s.beta(a, b); }, {1e-9, 1e-3, 0.05, 0.2, 0.3, 0.33, 0.34, 0.5, 0.7, 0.9, 0.99, 0.9999},
                 [&](double x) { return boost::math::cdf(BetaLaw(a, b), x); });
    if (a >= 0.5 && b >= 0.5) expect_law([&] { return s.beta(a, b); }, BetaLaw(a, b));
  }
}

TEST(Beta, TinyShapesAreCoins) {
  const std::pair<double, double> shapes[] = {{1e-5, 1e-5}, {1e-5, 3e-5}, {1e-200, 1e-200}, {2e-300, 1e-300}};
  for (const auto& [a, b] : shapes) {
    SCOPED_TRACE(testing::Message() << a << ' ' << b);
    Stream s = stream("beta " + text(a) + text(b));
    const double chance = a / (a + b);  // of the side of 1
    expect_cells([&] { return s.beta(a, b); }, {0.5}, [&](double) { return 1 - chance; });
  }
  Stream s = stream("beta");
  EXPECT_EQ(s.beta(1e-300, 1), 0);
  EXPECT_EQ(s.beta(1, 1e-300), 1);
  EXPECT_EQ(s.beta(1e-300, 1e300), 0);
  EXPECT_EQ(s.beta(1e300, 1e-300), 1);
}

TEST(Dirichlet, MarginalsAreBeta) {
  const Vec alpha = vec({0.3, 1, 2.5, 7});
  Vec x(4);
  Stream s = stream("dirichlet");
  std::vector<std::vector<double>> columns(4);
  for (int i = 0; i < 40000; ++i) {
    s.dirichlet(alpha, x);
    ASSERT_NEAR(x.sum(), 1, 4 * std::numeric_limits<double>::epsilon());
    for (Index j = 0; j < 4; ++j) columns[j].push_back(x[j]);
  }
  for (Index j = 0; j < 4; ++j) {
    std::sort(columns[j].begin(), columns[j].end());
    const BetaLaw law(alpha[j], alpha.sum() - alpha[j]);
    expect_plausible(test::ks_p_value(columns[j], [&](double t) { return boost::math::cdf(law, t); }));
  }
}

TEST(Dirichlet, TinyWeightsChooseOneComponent) {
  for (const double scale : {1e-6, 1e-100, 1e-299}) {
    SCOPED_TRACE(scale);
    const Vec alpha = scale * vec({1, 2, 3});
    Vec x(3);
    Stream s = stream("dirichlet " + text(scale));
    const auto largest = [&] {
      s.dirichlet(alpha, x);
      EXPECT_EQ(x.sum(), 1);
      Index j;
      x.maxCoeff(&j);
      return j;
    };
    expect_probabilities(
        largest, 2, [&](std::int64_t j) { return alpha[j] / alpha.sum(); }, 20000);
  }
}

TEST(Dirichlet, OneComponentIsOne) {
  Vec x(1);
  stream("dirichlet").dirichlet(vec({1e-300}), x);
  EXPECT_EQ(x[0], 1);
}

// ---- discrete ----

TEST(Poisson, Law) {
  for (const double mean : {0.01, 0.5, 3.0, 9.999, 10.0, 10.5, 14.0, 28.4, 100.0, 5000.0}) {
    SCOPED_TRACE(mean);
    Stream s = stream("poisson " + text(mean));
    const boost::math::poisson law(mean);
    expect_probabilities([&] { return s.poisson(mean); }, static_cast<std::int64_t>(mean + 12 * std::sqrt(mean) + 20),
                         [&](std::int64_t k) { return boost::math::pdf(law, static_cast<double>(k)); });
  }
}

TEST(Poisson, LargeMeansAreNormal) {
  for (const double mean : {1e12, 1e18}) {
    SCOPED_TRACE(mean);
    Stream s = stream("poisson " + text(mean));
    expect_law([&] { return (static_cast<double>(s.poisson(mean)) - mean) / std::sqrt(mean); }, boost::math::normal());
  }
}

TEST(Poisson, MeanZeroIsZero) { EXPECT_EQ(stream("poisson").poisson(0), 0); }

TEST(Binomial, Law) {
  const std::pair<std::int64_t, double> cases[] = {
      {1, 0.3},   {7, 0.5},    {19, 0.5},    {20, 0.5},        {21, 0.49},  {25, 0.4},          {34, 0.7},
      {100, 0.1}, {100, 0.95}, {1000, 0.01}, {1000, 1 - 1e-3}, {2000, 0.5}, {1000000000, 3e-9}, {1000000000, 5e-8}};
  for (const auto& [n, p] : cases) {
    SCOPED_TRACE(testing::Message() << n << ' ' << p);
    Stream s = stream("binomial " + std::to_string(n) + text(p));
    const double trials = static_cast<double>(n);
    const boost::math::binomial law(trials, p);
    const double reach = trials * p + 12 * std::sqrt(trials * p * (1 - p)) + 20;
    expect_probabilities([&] { return s.binomial(n, p); }, std::min(n, static_cast<std::int64_t>(reach)),
                         [&](std::int64_t k) { return boost::math::pdf(law, static_cast<double>(k)); });
  }
}

TEST(Binomial, LargeCountsAreNormal) {
  const std::pair<std::int64_t, double> cases[] = {{std::int64_t{1} << 50, 0.25},
                                                   {std::numeric_limits<std::int64_t>::max(), 0.7}};
  for (const auto& [n, p] : cases) {
    SCOPED_TRACE(testing::Message() << n << ' ' << p);
    Stream s = stream("binomial " + std::to_string(n));
    const double mean = static_cast<double>(n) * p, deviation = std::sqrt(mean * (1 - p));
    expect_law([&] { return (static_cast<double>(s.binomial(n, p)) - mean) / deviation; }, boost::math::normal());
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
  expect_probabilities([&] { return s.categorical(weights); }, 6,
                       [&](std::int64_t k) { return weights[k] / weights.sum(); });
  EXPECT_EQ(s.categorical(vec({0, 0, 1e-320, 0})), 2);
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
  expect_probabilities(
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
    expect_probabilities(
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

// ---- indices ----

TEST(IndexDraw, Law) {
  for (const Index n : {2, 3, 7, 1000}) {
    Stream s = stream("index " + std::to_string(n));
    expect_probabilities([&] { return s.index(n); }, n - 1, [&](std::int64_t) { return 1.0 / static_cast<double>(n); });
  }
  EXPECT_EQ(stream("index").index(1), 0);
}

TEST(IndexDraw, IsUnbiasedWhereTheRangeDoesNotDivideTheWord) {
  constexpr Index n = 3 * (Index{1} << 61);  // of 8 words 3 would meet each of two indices, 2 the third
  Stream scalar = stream("index large");
  Stream block = scalar;
  std::vector<Index> all(30000);
  block.sample_with_replacement(n, all);
  std::size_t i = 0;
  const auto residue = [&] {
    const Index k = scalar.index(n);
    EXPECT_EQ(k, all[i++]);
    return k % 3;
  };
  expect_probabilities(
      residue, 2, [](std::int64_t) { return 1.0 / 3; }, 30000);
}

TEST(Permutation, AllAreEquallyLikely) {
  for (const auto& [size, outcomes] : {std::pair<std::size_t, std::size_t>{3, 6}, {4, 24}, {5, 120}}) {
    Stream s = stream("permutation " + std::to_string(size));
    std::vector<Index> p(size);
    expect_equally_likely(
        [&] {
          s.permutation(p);
          return p;
        },
        outcomes);
  }
}

TEST(SubsetWithoutReplacement, AllAreEquallyLikely) {
  const std::tuple<Index, std::size_t, std::size_t> cases[] = {
      {5, 1, 5}, {5, 2, 20}, {6, 3, 120}, {5, 4, 120}, {4, 4, 24}};
  for (const auto& [n, k, outcomes] : cases) {
    SCOPED_TRACE(testing::Message() << n << ' ' << k);
    Stream s = stream("subset " + std::to_string(n) + ' ' + std::to_string(k));
    std::vector<Index> chosen(k);
    expect_equally_likely(
        [&, n = n] {
          s.sample_without_replacement(n, chosen);
          return chosen;
        },
        outcomes);
  }
}

TEST(SubsetWithoutReplacement, LargeSubsetsAreDistinct) {
  for (const Index n : {Index{1000}, Index{1001}, Index{5000}, Index{1} << 62}) {
    Stream s = stream("large subset");
    std::vector<Index> chosen(1000);
    s.sample_without_replacement(n, chosen);
    const std::set<Index> distinct(chosen.begin(), chosen.end());
    EXPECT_EQ(distinct.size(), chosen.size());
    EXPECT_GE(*distinct.begin(), 0);
    EXPECT_LT(*distinct.rbegin(), n);
    EXPECT_EQ(s.element(), 1000u);
  }
}

TEST(SubsetWithReplacement, IsTheScalarDraw) {
  Stream scalar = stream("replacement"), block = scalar;
  std::vector<Index> chosen(700);
  block.sample_with_replacement(12345, chosen);
  for (const Index k : chosen) EXPECT_EQ(k, scalar.index(12345));
}

// ---- elements and arguments ----

TEST(Elements, EachDrawSpendsItsOwn) {
  const std::pair<const char*, std::function<double(Stream&)>> draws[] = {
      {"exponential", [](Stream& s) { return s.exponential(); }},
      {"gamma", [](Stream& s) { return s.gamma(0.5); }},
      {"beta", [](Stream& s) { return s.beta(0.5, 2); }},
      {"small poisson", [](Stream& s) { return static_cast<double>(s.poisson(2)); }},
      {"large poisson", [](Stream& s) { return static_cast<double>(s.poisson(20)); }},
      {"small binomial", [](Stream& s) { return static_cast<double>(s.binomial(5, 0.5)); }},
      {"large binomial", [](Stream& s) { return static_cast<double>(s.binomial(100, 0.5)); }},
      {"index", [](Stream& s) { return static_cast<double>(s.index(10)); }},
      {"categorical", [](Stream& s) {
         return static_cast<double>(s.categorical(vec({1, 2, 3})));
       }}};
  for (const auto& [name, draw] : draws) {
    SCOPED_TRACE(name);
    Stream forward = stream("elements"), backward = forward;
    std::vector<double> values;
    for (int e = 0; e < 50; ++e) values.push_back(draw(forward));
    EXPECT_EQ(forward.element(), 50u);
    for (int e = 50; e-- > 0;) {
      backward.seek(static_cast<std::uint64_t>(e));
      EXPECT_EQ(draw(backward), values[e]);
    }
  }
}

TEST(Elements, VectorsSpendOnePerComponent) {
  Stream s = stream("elements");
  Vec x(3);
  std::vector<std::int64_t> counts(3);
  std::vector<Index> indices(3);
  s.dirichlet(vec({1, 2, 3}), x);
  EXPECT_EQ(s.element(), 3u);
  s.multinomial(10, vec({1, 2, 3}), counts);
  EXPECT_EQ(s.element(), 6u);
  s.permutation(indices);
  EXPECT_EQ(s.element(), 9u);
  s.sample_with_replacement(9, indices);
  EXPECT_EQ(s.element(), 12u);
  s.sample_without_replacement(9, indices);
  EXPECT_EQ(s.element(), 15u);
}

TEST(Arguments, OutOfRangeAreRefused) {
  constexpr double nan = std::numeric_limits<double>::quiet_NaN(), inf = std::numeric_limits<double>::infinity();
  Stream s = stream("hostile");
  for (const double bad : {0.0, -1.0, nan, inf, -inf, 5e-324}) {
    EXPECT_THROW(s.gamma(bad), std::invalid_argument) << bad;
    EXPECT_THROW(s.beta(bad, 1), std::invalid_argument) << bad;
    EXPECT_THROW(s.beta(1, bad), std::invalid_argument) << bad;
    Vec x(2);
    EXPECT_THROW(s.dirichlet(vec({1, bad}), x), std::invalid_argument) << bad;
  }
  for (const double bad : {-1e-9, nan, inf, 1e19}) EXPECT_THROW(s.poisson(bad), std::invalid_argument) << bad;
  for (const double bad : {-1e-9, 1 + 1e-9, nan, inf}) EXPECT_THROW(s.binomial(5, bad), std::invalid_argument) << bad;
  EXPECT_THROW(s.binomial(-1, 0.5), std::invalid_argument);
  std::vector<std::int64_t> counts(2);
  for (const Vec& bad : {Vec(), vec({0, 0}), vec({1, -1}), vec({1, nan}), vec({1, inf}), vec({1e308, 1e308})}) {
    EXPECT_THROW(s.categorical(bad), std::invalid_argument) << bad.transpose();
    EXPECT_THROW(s.multinomial(3, bad, std::span(counts).first(bad.size())), std::invalid_argument) << bad.transpose();
  }
  EXPECT_THROW(s.multinomial(-1, vec({1, 1}), counts), std::invalid_argument);
  EXPECT_THROW(s.multinomial(3, vec({1, 1, 1}), counts), std::invalid_argument);
  Vec x(3);
  EXPECT_THROW(s.dirichlet(vec({1, 1}), x), std::invalid_argument);
  EXPECT_THROW(s.dirichlet(Vec(), x), std::invalid_argument);
  std::vector<Index> three(3);
  EXPECT_THROW(s.sample_without_replacement(2, three), std::invalid_argument);
  EXPECT_THROW(s.sample_without_replacement(-1, three), std::invalid_argument);
  EXPECT_THROW(s.sample_with_replacement(0, three), std::invalid_argument);
  for (const Index bad : {Index{0}, Index{-1}}) EXPECT_THROW(s.index(bad), std::invalid_argument);
  EXPECT_EQ(s.element(), 0u) << "a refused draw spends nothing";
}

TEST(Arguments, EmptyRequestsAreFine) {
  Stream s = stream("empty");
  std::vector<Index> none;
  Vec empty;
  s.permutation(none);
  s.sample_with_replacement(1, none);
  s.sample_without_replacement(0, none);
  s.normals(empty);
  s.uniforms(empty);
  EXPECT_EQ(s.element(), 0u);
}

}  // namespace
}  // namespace quasar
