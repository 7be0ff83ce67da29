// Exact-start invariance of the kernels that go on adapting: right for ensembles, wrong for what was published.
#include <boost/math/distributions/normal.hpp>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "kernels/hmc/hmc_bfgs.hpp"
#include "kernels/hmc/qnhmc_printed.hpp"
#include "metrics/bfgs_matrix.hpp"
#include "support/statistics.hpp"
#include "support/targets.hpp"

namespace quasar {
namespace {

using test::SkewedTarget;
constexpr std::uint64_t seed = 31;

double normal_cdf(double z) { return boost::math::cdf(boost::math::normal(), z); }

double p_value(std::vector<double> values, double (*cdf)(double)) {
  std::sort(values.begin(), values.end());
  return test::ks_p_value(values, cdf);
}

double exponential_p_value(const std::vector<Vec>& ends) {
  std::vector<double> values;
  for (const Vec& x : ends) values.push_back(SkewedTarget::exp_coordinate(x));
  return p_value(std::move(values), [](double e) { return 1 - std::exp(-e); });
}

// Every member starts from its own exact draw; two sweeps later each of them must still have the law of the target. The
// last member moved and a member in the middle are looked at: one per ensemble, so that the sample is independent.
TEST(HmcBfgs, ExactDrawsStayExact) {
  constexpr int replicates = 20'000, assertions = 2 * 3;
  constexpr std::uint64_t members = 5, sweeps = 2;
  SkewedTarget target;
  EnsembleParams params;
  params.step_size = 0.9;
  params.leapfrog_steps = 3;
  params.members = members;
  const HmcBfgs kernel(target, {0, 3}, params);
  std::vector<std::vector<Vec>> ends(2);
  double accepted = 0;
  for (int r = 0; r < replicates; ++r) {
    const Rng rng = Rng(seed).child("replicate", static_cast<std::uint64_t>(r));
    std::vector<Vec> points(members, Vec(3));
    for (std::size_t k = 0; k < members; ++k) target.draw(rng.child("member", k), points[k]);
    auto s = kernel.init(points, rng);
    Vec x(3);
    for (std::uint64_t i = 0; i < sweeps * members; ++i) accepted += kernel.step(x, s, rng.at(i)).accept_prob;
    ends[0].push_back(s.positions.col(members - 1));
    ends[1].push_back(s.positions.col(2));
  }
  accepted /= replicates * sweeps * members;
  EXPECT_GT(accepted, 0.5);
  EXPECT_LT(accepted, 0.85);
  const double alpha = test::per_assertion(test::family_alpha, assertions);
  for (const std::vector<Vec>& member : ends) {
    EXPECT_GT(exponential_p_value(member), alpha);
    for (double (*of)(In) : {SkewedTarget::normal_coordinate, SkewedTarget::mixed_coordinate}) {
      std::vector<double> values;
      for (const Vec& x : member) values.push_back(of(x));
      EXPECT_GT(p_value(std::move(values), normal_cdf), alpha);
    }
  }
}

// The published adaptation drives exact draws away from the target: once C follows the position it is no constant.
TEST(PrintedQnhmc, ExactDrawsDoNotStayExact) {
  constexpr int replicates = 4000, steps = 30;
  SkewedTarget target;
  PrintedQnhmcParams<BfgsMatrix> params;
  params.step_size = 0.3;
  params.leapfrog_steps = 5;
  params.initial = BfgsMatrix(3);
  const PrintedQnhmc<BfgsMatrix> kernel(target, {0, 3}, params);
  std::vector<Vec> ends;
  for (int r = 0; r < replicates; ++r) {
    const Rng rng = Rng(seed).child("printed", static_cast<std::uint64_t>(r));
    Vec x(3);
    target.draw(rng, x);
    auto s = kernel.init(x, rng);
    for (std::uint64_t i = 0; i < steps; ++i) kernel.step(x, s, rng.at(i));
    ends.push_back(x);
  }
  EXPECT_LT(exponential_p_value(ends), 1e-12);
}

}  // namespace
}  // namespace quasar
