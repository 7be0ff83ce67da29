// The gamma target in both coordinates: gradients, exact laws, moments, support, and what a user can get wrong.
#include "targets/gamma.hpp"

#include <boost/math/distributions/gamma.hpp>
#include <boost/math/special_functions/digamma.hpp>
#include <boost/math/special_functions/trigamma.hpp>
#include <gtest/gtest.h>

#include <cmath>

#include <quasar/check_gradient.hpp>
#include <quasar/errors.hpp>
#include <quasar/rng.hpp>

#include "support/geometries.hpp"
#include "support/laws.hpp"

namespace quasar {
namespace {

const Settings natural{{"coordinates", "natural"}};

double logp(Target& target, const Vec& x) {
  Vec grad(x.size());
  return target.logp_grad(x, grad).logp;
}

TEST(Gamma, GradientsBelongToTheDensity) {
  for (const Settings& settings : {Settings{}, natural}) {
    const GradientCheck check = check_gradient_at_random(*test::gamma(settings), Rng(11), 10);
    EXPECT_TRUE(check.ok) << check.message;
  }
}

TEST(Gamma, DensityIsTheGammaLawInBothCoordinates) {
  const boost::math::gamma_distribution first(2.0, 1.0), second(5.0, 0.5);
  const auto exact = [&](const Vec& t) {
    return std::log(boost::math::pdf(first, t[0])) + std::log(boost::math::pdf(second, t[1]));
  };
  const Vec a{{0.3, 2.9}}, b{{1.7, 1.1}};
  const Vec log_a = a.array().log(), log_b = b.array().log();
  const double expected = exact(a) - exact(b), jacobian = (log_a - log_b).sum();
  EXPECT_NEAR(logp(*test::gamma(natural), a) - logp(*test::gamma(natural), b), expected, 1e-12);
  EXPECT_NEAR(logp(*test::gamma(), log_a) - logp(*test::gamma(), log_b), expected + jacobian, 1e-12);
}

TEST(Gamma, DrawsFollowTheLaw) {
  for (const bool in_theta : {true, false}) {
    const auto target = test::gamma(in_theta ? natural : Settings{});
    for (const Index i : {0, 1}) {
      std::uint64_t draw = 0;
      const auto theta = [&] {
        Vec x(2);
        dynamic_cast<const ExactLaw&>(*target).draw(Rng(5).at(draw++), x);
        return in_theta ? x[i] : std::exp(x[i]);
      };
      test::expect_law(theta, boost::math::gamma_distribution(i == 0 ? 2.0 : 5.0, i == 0 ? 1.0 : 0.5));
    }
  }
}

TEST(Gamma, MomentsAreThoseOfTheSampledCoordinates) {
  const Moments in_theta = dynamic_cast<const ExactLaw&>(*test::gamma(natural)).moments();
  EXPECT_LT((in_theta.mean - Vec{{2.0, 2.5}}).norm(), 1e-15);
  EXPECT_LT((in_theta.variance - Vec{{2.0, 1.25}}).norm(), 1e-15);
  const auto free = test::gamma();
  const Moments in_log = dynamic_cast<const ExactLaw&>(*free).moments();
  EXPECT_NEAR(in_log.mean[1], boost::math::digamma(5.0) - std::log(2.0), 1e-14);
  EXPECT_NEAR(in_log.variance[1], boost::math::trigamma(5.0), 1e-14);
}

TEST(Gamma, NaturalCoordinatesStateTheirSupport) {
  EXPECT_TRUE(test::gamma()->support().empty());
  const auto target = test::gamma(natural);
  ASSERT_EQ(target->support().size(), 2U);
  EXPECT_EQ(target->support()[1].lo, 0);
  Vec grad(2), x(2);
  EXPECT_FALSE(target->logp_grad(Vec{{1.0, -0.1}}, grad).ok);
  EXPECT_THROW(target->unconstrain(Vec{{1.0, -1.0}}, x), UsageError);
}

TEST(Gamma, ValuesComeBackFromBothCoordinates) {
  for (const Settings& settings : {Settings{}, natural}) {
    const auto target = test::gamma(settings);
    const Vec theta{{0.4, 3.1}};
    Vec x(2), back(2);
    target->unconstrain(theta, x);
    target->constrain(x, back, Rng(1));
    EXPECT_LT((back - theta).norm(), 1e-15);
    EXPECT_EQ(logp(*target->fork(), x), logp(*target, x));
  }
}

TEST(Gamma, RefusesWhatIsNoListOfPositiveNumbers) {
  for (const char* bad : {"", "2,", ",2", "2,x", "2,-1", "2,0", "2,inf", "2;5"}) {
    EXPECT_THROW(test::gamma({{"shapes", bad}}), UsageError) << bad;
  }
  EXPECT_THROW(test::gamma({{"shapes", "1,2,3"}}), UsageError);
  EXPECT_EQ(test::gamma({{"shapes", "1,2,3"}, {"rates", "1,1,1"}})->dim(), 3);
}

}  // namespace
}  // namespace quasar
