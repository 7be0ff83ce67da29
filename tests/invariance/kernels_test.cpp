// Exact-start invariance: draw x exactly from the target, take a few steps, compare with the target. The replicates are
// independent, so the p-value is honest, and a wrong kernel is told from a slow one.
#include "support/kernels.hpp"

#include <boost/math/distributions/normal.hpp>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "support/statistics.hpp"
#include "support/targets.hpp"

namespace quasar {
namespace {

constexpr int replicates = 20'000, steps = 3;
constexpr std::uint64_t seed = 20;
constexpr int assertions = 26 * 3;

struct Coordinate {
  const char* name;
  double (*of)(In);
  double (*cdf)(double);
};

double normal_cdf(double z) { return boost::math::cdf(boost::math::normal(), z); }

constexpr Coordinate coordinates[] = {
    {"exp(w0)", test::SkewedTarget::exp_coordinate, [](double e) { return 1 - std::exp(-e); }},
    {"w1", test::SkewedTarget::normal_coordinate, normal_cdf},
    {"w2", test::SkewedTarget::mixed_coordinate, normal_cdf},
};

template <class K>
std::vector<Vec> move_exact_draws(const test::SkewedTarget& target, const K& kernel, double& mean_accept) {
  std::vector<Vec> ends(replicates, Vec(3));
  mean_accept = 0;
  for (int r = 0; r < replicates; ++r) {
    const Rng rng = Rng(seed).child("replicate", static_cast<std::uint64_t>(r));
    Vec& x = ends[static_cast<std::size_t>(r)];
    target.draw(rng, x);
    auto s = kernel.init(x, rng);
    for (std::uint64_t i = 0; i < steps; ++i)
      mean_accept += kernel.step(x, s, rng.at(i)).accept_prob / (replicates * steps);
  }
  return ends;
}

TEST(Invariance, ExactDrawsStayExact) {
  test::SkewedTarget target;
  test::with_each_kernel_and_metric(target, [&](const std::string& name, auto kernel) {
    double mean_accept = 0;
    const std::vector<Vec> ends = move_exact_draws(target, kernel, mean_accept);
    EXPECT_GT(mean_accept, 0.5) << name;  // coarse enough to show what acceptance hides
    EXPECT_LT(mean_accept, 0.85) << name;
    for (const Coordinate& coordinate : coordinates) {
      std::vector<double> values;
      for (const Vec& x : ends) values.push_back(coordinate.of(x));
      std::sort(values.begin(), values.end());
      const double p = test::ks_p_value(values, coordinate.cdf);
      EXPECT_GT(p, test::per_assertion(test::family_alpha, assertions))
          << name << ", " << coordinate.name << ", acceptance " << mean_accept << ", seed " << seed;
    }
  });
}

}  // namespace
}  // namespace quasar
