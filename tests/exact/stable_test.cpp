// The laws of stable draws: closed forms where there are any, characteristic functions and Laplace transforms
// elsewhere. Each p-value or z is held at 1e-6 (a family of 1000 at 1e-3).
#include "core/stable.hpp"

#include <boost/math/distributions/cauchy.hpp>
#include <boost/math/distributions/normal.hpp>
#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <limits>
#include <numbers>
#include <string>
#include <vector>

#include <quasar/stable.hpp>

#include "support/laws.hpp"

namespace quasar {
namespace {

using std::numbers::pi;

Stream stream(const std::string& role) { return Rng(20240229).stream(role); }

std::string text(const StableLaw& law) { return std::to_string(law.alpha) + " " + std::to_string(law.beta); }

double levy_cdf(double x, double scale) { return x > 0 ? std::erfc(std::sqrt(scale / (2 * x))) : 0; }

// The mean of a bounded function of draws against its expectation.
template <class Draw>
void expect_mean(Draw draw, double expected, int n = 200000) {
  double sum = 0, squares = 0;
  for (int i = 0; i < n; ++i) {
    const double value = draw();
    sum += value;
    squares += value * value;
  }
  const double mean = sum / n, variance = squares / n - mean * mean;
  test::expect_plausible(test::z_p_value((mean - expected) / std::sqrt(variance / n)));
}

std::complex<double> characteristic_function(const StableLaw& law, double w) {
  const double sign = w > 0 ? 1 : -1, size = std::abs(w);
  const double skew = law.alpha == 1 ? -2 / pi * std::log(size) : std::tan(pi * law.alpha / 2);
  return std::exp(-std::pow(size, law.alpha) * std::complex<double>(1, -law.beta * sign * skew));
}

TEST(PositiveStable, HasTheNumbersComputedElsewhere) {
  EXPECT_NEAR(positive_stable_of(0.6, 1, 1), 0.401469512068, 1e-12);
  EXPECT_NEAR(positive_stable_of(0.945, 2, 0.5), 0.961309188588, 1e-12);
}

TEST(PositiveStable, OfOneHalfIsLevys) {
  Stream s = stream("levy");
  test::expect_cells([&] { return draw_positive_stable(0.5, s); }, {0.02, 0.05, 0.1, 0.2, 0.5, 1, 3, 10, 100, 1e4},
                     [](double x) { return levy_cdf(x, 0.5); });
}

TEST(PositiveStable, HasTheLaplaceTransform) {
  for (const double a : {0.05, 0.3, 0.6, 0.9, 0.945, 0.999}) {
    for (const double t : {0.1, 1.0, 4.0}) {
      SCOPED_TRACE(std::to_string(a) + " " + std::to_string(t));
      Stream s = stream("laplace " + std::to_string(a) + " " + std::to_string(t));
      expect_mean([&] { return std::exp(-t * draw_positive_stable(a, s)); }, std::exp(-std::pow(t, a)));
    }
  }
}

TEST(PositiveStable, OfOneIsOne) {
  Stream s = stream("one");
  EXPECT_EQ(draw_positive_stable(1, s), 1);
}

TEST(PositiveStable, ManyAreTheSameAsOneByOne) {
  Stream many = stream("many"), single = stream("many");
  Vec draws(7);
  draw_positive_stables(0.6, many, draws);
  for (const double draw : draws) EXPECT_EQ(draw, draw_positive_stable(0.6, single));
  EXPECT_EQ(many.element(), 14u);
}

TEST(Stable, HasKnownLaws) {
  Stream normal = stream("normal"), cauchy = stream("cauchy"), levy = stream("skewed");
  test::expect_law([&] { return draw_stable({2}, normal); }, boost::math::normal(0, std::sqrt(2.0)));
  test::expect_law([&] { return draw_stable({1}, cauchy); }, boost::math::cauchy());
  test::expect_cells(
      [&] {
        return draw_stable({0.5, 1}, levy);
      },
      {0.05, 0.1, 0.2, 0.5, 1, 3, 10, 100, 1e4}, [](double x) { return levy_cdf(x, 1); });
}

TEST(Stable, HasTheCharacteristicFunction) {
  for (const StableLaw law : {StableLaw{0.3, 0.5},
                              {0.8, -1},
                              {0.999, 0},
                              {1, 0.7},
                              {1, -1},
                              {1.2, 0},
                              {1.2, 0.9},
                              {1.5, -0.4},
                              {1.89, 0},
                              {1.95, 1}}) {
    for (const double w : {0.4, 1.0, -2.0}) {
      SCOPED_TRACE(text(law) + " at " + std::to_string(w));
      const std::complex<double> expected = characteristic_function(law, w);
      Stream real = stream("real " + text(law) + std::to_string(w)),
             imaginary = stream("imaginary " + text(law) + std::to_string(w));
      expect_mean([&] { return std::cos(w * draw_stable(law, real)); }, expected.real());
      expect_mean([&] { return std::sin(w * draw_stable(law, imaginary)); }, expected.imag());
    }
  }
}

// x = sqrt(Phi) z with Phi positive stable of exponent alpha/2, twice as large: alpha-stable and symmetric.
TEST(Stable, IsAMixtureOfNormalsOverPositiveStableVariances) {
  for (const double alpha : {1.2, 1.89}) {
    for (const double w : {0.4, 1.0}) {
      SCOPED_TRACE(alpha);
      Stream scales = stream("scales " + std::to_string(alpha)), normals = stream("normals " + std::to_string(alpha));
      const double sigma = 1.3;
      const auto draw = [&] {
        return sigma * std::sqrt(2 * draw_positive_stable(alpha / 2, scales)) * normals.normal();
      };
      expect_mean([&] { return std::cos(w * draw()); }, std::exp(-std::pow(sigma * w, alpha)));
    }
  }
}

TEST(Stable, IsNeverNaN) {
  for (const double alpha : {0.001, 0.01, 0.1, 0.999999, 1.000001, 1.999, 2.0}) {
    for (const double beta : {-1.0, 0.0, 1.0}) {
      Stream s = stream("extreme");
      for (int i = 0; i < 2000; ++i) {
        ASSERT_FALSE(std::isnan(draw_stable({alpha, beta}, s))) << alpha << " " << beta << " element " << s.element();
        ASSERT_FALSE(std::isnan(draw_positive_stable(alpha / 2, s))) << alpha << " element " << s.element();
      }
    }
  }
}

// Where the uniform variable is next to 0 or 1, and the exponential one as extreme.
TEST(Stable, IsNeverNaNAtTheEnds) {
  for (const double alpha : {0.1, 0.5, 0.999999, 1.0, 1.000001, 1.5, 2.0}) {
    for (const double beta : {-1.0, 0.3, 1.0}) {
      for (const double uniform : {0x1p-53, 1 - 0x1p-53}) {
        for (const double exponential : {0x1p-53, 37.0}) {
          EXPECT_FALSE(std::isnan(stable_of({alpha, beta}, pi * (uniform - 0.5), exponential))) << alpha << " " << beta;
          EXPECT_FALSE(std::isnan(positive_stable_of(alpha / 2, pi * uniform, exponential))) << alpha;
        }
      }
    }
  }
}

TEST(Stable, RefusesWhatIsNoLaw) {
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  Stream s = stream("wrong");
  for (const double bad : {0.0, -0.5, 2.1, nan}) EXPECT_THROW(draw_stable({bad}, s), std::invalid_argument) << bad;
  for (const double bad : {-1.1, 1.1, nan}) EXPECT_THROW(draw_stable({1.5, bad}, s), std::invalid_argument) << bad;
  for (const double bad : {0.0, -1.0, 1.1, nan}) EXPECT_THROW(draw_positive_stable(bad, s), std::invalid_argument);
  EXPECT_EQ(s.element(), 0u) << "a refused draw spends nothing";
}

}  // namespace
}  // namespace quasar
