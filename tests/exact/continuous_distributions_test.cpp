// The laws of exponential, gamma, beta and Dirichlet draws over ordinary and extreme parameters.
#include <boost/math/distributions/beta.hpp>
#include <boost/math/distributions/exponential.hpp>
#include <boost/math/distributions/gamma.hpp>
#include <boost/math/distributions/normal.hpp>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include <quasar/rng.hpp>

#include "support/laws.hpp"

namespace quasar {
namespace {

using test::vec;

// Double precision throughout: the default evaluates every cdf in long double, five times slower.
using Plain = boost::math::policies::policy<boost::math::policies::promote_double<false>>;
using GammaLaw = boost::math::gamma_distribution<double, Plain>;
using BetaLaw = boost::math::beta_distribution<double, Plain>;

Stream stream(std::string_view role) { return Rng(20240229).stream(role); }

std::string text(double x) { return std::to_string(std::log10(x)); }  // names a stream by a parameter

TEST(Exponential, Law) {
  Stream s = stream("exponential");
  test::expect_law([&] { return s.exponential(); }, boost::math::exponential(1));
}

TEST(Gamma, Law) {
  for (const double shape : {0.05, 0.3, 0.9, 0.999, 1.0, 1.001, 1.5, 3.0, 30.0, 1e4, 1e8}) {
    SCOPED_TRACE(shape);
    Stream s = stream("gamma " + text(shape));
    test::expect_law([&] { return s.gamma(shape); }, GammaLaw(shape));
  }
}

TEST(Gamma, LargeShapesAreNormal) {
  for (const double shape : {1e15, 1e25}) {  // the skewness, 2 / sqrt(shape), is out of sight
    SCOPED_TRACE(shape);
    Stream s = stream("gamma " + text(shape));
    test::expect_law([&] { return (s.gamma(shape) - shape) / std::sqrt(shape); }, boost::math::normal(), 400000);
  }
}

TEST(Gamma, TinyShapesReachDownToTheSmallestNumbers) {
  for (const double shape : {1e-2, 3e-3, 1e-3}) {
    SCOPED_TRACE(shape);
    Stream s = stream("gamma " + text(shape));
    const std::vector<double> edges = {1e-320, 1e-300, 1e-250, 1e-150, 1e-80, 1e-30, 1e-10, 1e-3, 0.1, 1};
    test::expect_cells([&] { return s.gamma(shape); }, edges,
                       [&](double x) { return boost::math::cdf(GammaLaw(shape), x); });
  }
  Stream s = stream("gamma");
  EXPECT_EQ(s.gamma(1e-300), 0);
}

TEST(Beta, Law) {
  const std::pair<double, double> shapes[] = {{0.1, 0.1}, {0.5, 0.5}, {0.2, 5}, {1, 1}, {2, 3}, {30, 0.7}, {1e4, 2e4}};
  for (const auto& shape : shapes) {
    const double a = shape.first, b = shape.second;
    SCOPED_TRACE(testing::Message() << a << ' ' << b);
    Stream s = stream("beta " + text(a) + text(b));
    test::expect_cells([&] { return s.beta(a, b); },
                       {1e-9, 1e-3, 0.05, 0.2, 0.3, 0.33, 0.34, 0.5, 0.7, 0.9, 0.99, 0.9999},
                       [&](double x) { return boost::math::cdf(BetaLaw(a, b), x); });
    if (a >= 0.5 && b >= 0.5) test::expect_law([&] { return s.beta(a, b); }, BetaLaw(a, b));
  }
}

TEST(Beta, TinyShapesAreCoins) {
  const std::pair<double, double> shapes[] = {{1e-5, 1e-5}, {1e-5, 3e-5}, {1e-200, 1e-200}, {2e-300, 1e-300}};
  for (const auto& shape : shapes) {
    const double a = shape.first, b = shape.second;
    SCOPED_TRACE(testing::Message() << a << ' ' << b);
    Stream s = stream("beta " + text(a) + text(b));
    const double chance = a / (a + b);  // of the side of 1
    test::expect_cells([&] { return s.beta(a, b); }, {0.5}, [&](double) { return 1 - chance; });
  }
  Stream s = stream("beta");
  EXPECT_EQ(s.beta(1e-300, 1), 0);
  EXPECT_EQ(s.beta(1, 1e-300), 1);
  EXPECT_EQ(s.beta(1e-300, 1e300), 0);
  EXPECT_EQ(s.beta(1e300, 1e-300), 1);
}

// Up to the rounding of each term.
bool sums_to_one(const Vec& x) {
  return std::abs(x.sum() - 1) <= static_cast<double>(x.size()) * std::numeric_limits<double>::epsilon();
}

TEST(Dirichlet, MarginalsAreBeta) {
  const Vec alpha = vec({0.3, 1, 2.5, 7});
  Vec x(4);
  Stream s = stream("dirichlet");
  std::vector<std::vector<double>> columns(4);
  for (int i = 0; i < 40000; ++i) {
    s.dirichlet(alpha, x);
    ASSERT_TRUE(sums_to_one(x));
    for (Index j = 0; j < 4; ++j) columns[j].push_back(x[j]);
  }
  for (Index j = 0; j < 4; ++j) {
    std::sort(columns[j].begin(), columns[j].end());
    const BetaLaw law(alpha[j], alpha.sum() - alpha[j]);
    test::expect_plausible(test::ks_p_value(columns[j], [&](double t) { return boost::math::cdf(law, t); }));
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
      EXPECT_TRUE(sums_to_one(x));
      Index j;
      x.maxCoeff(&j);
      return j;
    };
    test::expect_probabilities(
        largest, 2, [&](std::int64_t j) { return alpha[j] / alpha.sum(); }, 20000);
  }
}

TEST(Dirichlet, OneComponentIsOne) {
  Vec x(1);
  stream("dirichlet").dirichlet(vec({1e-300}), x);
  EXPECT_EQ(x[0], 1);
}

}  // namespace
}  // namespace quasar
