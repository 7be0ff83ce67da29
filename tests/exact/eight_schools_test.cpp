// eight-schools: its density against the definition, both parameterisations, partitions, labels.
#include "targets/eight_schools.hpp"

#include <boost/math/distributions/cauchy.hpp>
#include <boost/math/distributions/normal.hpp>
#include <gtest/gtest.h>

#include <cmath>

#include <quasar/check_gradient.hpp>
#include <quasar/errors.hpp>
#include <quasar/rng.hpp>

namespace quasar {
namespace {

double logp(Target& target, const Vec& x) {
  Vec grad(x.size());
  return target.logp_grad(x, grad).logp;
}

// The model, written once more from the densities of its definition.
double eight_schools_logp(const Vec& theta, double mu, double tau) {
  using boost::math::cauchy, boost::math::normal, boost::math::pdf;
  double sum = std::log(pdf(normal(0, 5), mu)) + std::log(2 * pdf(cauchy(0, 5), tau)) + std::log(tau);
  for (Index i = 0; i < 8; ++i) {
    const auto k = static_cast<std::size_t>(i);
    sum += std::log(pdf(normal(mu, tau), theta[i]));
    sum += std::log(pdf(normal(theta[i], EightSchools::standard_error[k]), EightSchools::effect[k]));
  }
  return sum;
}

TEST(EightSchools, HasTheDensityOfItsDefinition) {
  const Vec theta1{{8, 5, -3, 4, 1, 0, 9, 7}}, theta2 = Vec::LinSpaced(8, -4, 6);
  EightSchools centered(true), noncentered(false);
  const auto at = [](EightSchools& model, const Vec& theta, double mu, double tau) {
    Vec values(10), x(10);
    values << theta, mu, tau;
    model.unconstrain(values, x);
    return logp(model, x);
  };
  const double expected = eight_schools_logp(theta1, 4, 3) - eight_schools_logp(theta2, -1, 12);
  EXPECT_NEAR(at(centered, theta1, 4, 3) - at(centered, theta2, -1, 12), expected, 1e-11);
  // d theta / d eta = tau for each of the eight.
  const double jacobian = 8 * (std::log(3.0) - std::log(12.0));
  EXPECT_NEAR(at(noncentered, theta1, 4, 3) - at(noncentered, theta2, -1, 12), expected + jacobian, 1e-11);
}

class EightSchoolsBoth : public testing::TestWithParam<bool> {
 protected:
  EightSchools model{GetParam()};
  const Vec x = Vec::LinSpaced(10, -1.2, 1.7);
};

TEST_P(EightSchoolsBoth, GradientBelongsToTheDensity) {
  const GradientCheck check = check_gradient_at_random(model, Rng(12), 10);
  EXPECT_TRUE(check.ok) << check.message;
}

TEST_P(EightSchoolsBoth, AnyPartitionAddsUpToTheFullSum) {
  Vec full(10), sum(10);
  const double expected = model.logp_grad(x, full).logp;
  double total = model.prior(x, sum, Want::both).logp;
  const Index scattered[] = {6, 0, 3};
  total += model.add_terms(x, scattered, 1, sum, Want::both).logp;
  total += model.add_range(x, 1, 3, 1, sum, Want::both).logp;
  total += model.add_range(x, 4, 6, 2, sum, Want::both).logp;
  total += model.add_range(x, 4, 6, -1, sum, Want::both).logp;
  total += model.add_range(x, 7, 8, 1, sum, Want::both).logp;
  EXPECT_NEAR(total, expected, 1e-13);
  EXPECT_LT((sum - full).norm(), 1e-13);
}

TEST_P(EightSchoolsBoth, ValuesRoundTripAndAreLabelled) {
  Vec values(10), back(10);
  model.constrain(x, values, Rng(1));
  model.unconstrain(values, back);
  EXPECT_LT((back - x).norm(), 1e-13);
  EXPECT_DOUBLE_EQ(values[8], x[0]);
  EXPECT_DOUBLE_EQ(values[9], std::exp(x[1]));
  const Layout layout = model.layout();
  ASSERT_EQ(layout.variables.size(), 3u);
  EXPECT_EQ(layout.variables[0].name, "theta");
  EXPECT_EQ(layout.variables[1].name, "mu");
  EXPECT_EQ(layout.variables[2].name, "tau");
  EXPECT_EQ(layout.size(), 10);
  values[9] = -1;
  EXPECT_THROW(model.unconstrain(values, back), UsageError);
}

TEST_P(EightSchoolsBoth, FarAwayIsRejectedNotNaN) {
  Vec far = x, grad(10);
  far[1] = 800;
  EXPECT_EQ(model.logp_grad(far, grad).ok, GetParam());  // centred: tau only appears as a precision
  far[1] = -800;
  EXPECT_EQ(model.logp_grad(far, grad).ok, !GetParam());
}

INSTANTIATE_TEST_SUITE_P(Parameterizations, EightSchoolsBoth, testing::Bool(),
                         [](const auto& tested) { return tested.param ? "centered" : "noncentered"; });

}  // namespace
}  // namespace quasar
