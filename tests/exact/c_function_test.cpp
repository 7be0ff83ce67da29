// A density given as a C function is the density itself.
#include "targets/c_function.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include <quasar/registry.hpp>
#include <quasar/sample.hpp>

#include "support/targets.hpp"

namespace quasar {
namespace {

const Layout vector_of_three = {{{"x", {3}, {}}}, {}};

double skewed(std::int64_t dim, const double* x, double* gradient, void* user) {
  ++*static_cast<int*>(user);
  test::SkewedTarget target;
  return target.logp_grad(Eigen::Map<const Vec>(x, dim), Eigen::Map<Vec>(gradient, dim)).logp;
}

double nowhere(std::int64_t, const double*, double*, void* user) { return *static_cast<double*>(user); }

RunData draws_of_nuts(const Target& target) {
  const SamplerEntry& nuts = find_sampler("nuts");
  SampleOptions options;
  options.schedule = {100, 50, 1};
  options.threads = 1;
  return sample(target, nuts, {nuts.name, nuts.params, {}}, options);
}

TEST(CFunction, HasTheDrawsOfTheSameDensityInCpp) {
  int calls = 0;
  const RunData run = draws_of_nuts(CFunction(skewed, &calls, vector_of_three));
  EXPECT_EQ(run.sampling[1].values, draws_of_nuts(test::SkewedTarget()).sampling[1].values);
  EXPECT_EQ(calls, run.info.gradient_evaluations);
}

TEST(CFunction, RejectsWhatIsNotFinite) {
  Vec gradient(3);
  for (double value : {std::numeric_limits<double>::quiet_NaN(), -std::numeric_limits<double>::infinity()}) {
    EXPECT_FALSE(CFunction(nowhere, &value, vector_of_three).logp_grad(Vec::Zero(3), gradient).ok);
  }
}

TEST(CFunction, HasTheVariablesItIsGiven) {
  const CFunction target(skewed, nullptr, {{{"mu", {}, {}}, {"theta", {2, 4}, {}}}, {}});
  EXPECT_EQ(target.dim(), 9);
  EXPECT_EQ(target.fork()->layout().variables[1].name, "theta");
}

}  // namespace
}  // namespace quasar
