// The schedule of warm-up, and dual averaging.
#include <gtest/gtest.h>

#include <cmath>

#include "adapt/dual_averaging.hpp"
#include "adapt/mass.hpp"
#include "adapt/warmup.hpp"
#include "adapt/windows.hpp"
#include "support/kernels.hpp"
#include "support/targets.hpp"

namespace quasar {
namespace {

using Ends = std::vector<std::int64_t>;

TEST(Windows, AreStansForAThousand) {
  const Windows windows = warmup_windows(1000);
  EXPECT_EQ(windows.begin, 75);
  EXPECT_EQ(windows.ends, (Ends{100, 150, 250, 450, 950}));
}

TEST(Windows, ScaleForShortWarmups) {
  EXPECT_TRUE(warmup_windows(0).ends.empty());
  EXPECT_TRUE(warmup_windows(19).ends.empty());
  EXPECT_EQ(warmup_windows(20).begin, 3);
  EXPECT_EQ(warmup_windows(20).ends, (Ends{18}));
  EXPECT_EQ(warmup_windows(100).begin, 15);
  EXPECT_EQ(warmup_windows(100).ends, (Ends{90}));
  EXPECT_EQ(warmup_windows(150).ends, (Ends{100}));
}

TEST(Windows, CoverTheSlowPhaseInOrder) {
  for (std::int64_t warmup = 20; warmup < 5000; warmup += 7) {
    const Windows windows = warmup_windows(warmup);
    std::int64_t at = windows.begin;
    for (const std::int64_t end : windows.ends) {
      ASSERT_GT(end, at) << warmup;
      at = end;
    }
    ASSERT_EQ(at, warmup - (warmup < 150 ? warmup / 10 : 50));
  }
}

// The recursion of Hoffman and Gelman (2014), equation 6, by hand for two steps.
TEST(DualAveraging, FollowsItsRecursion) {
  DualAveraging da;
  da.target = 0.8;
  da.restart(0.5);
  EXPECT_DOUBLE_EQ(da.mu, std::log(5.0));
  const double h1 = (0.8 - 0.6) / 11;
  EXPECT_NEAR(std::log(da.update(0.6)), std::log(5.0) - h1 / 0.05, 1e-14);
  EXPECT_NEAR(std::log(da.average()), std::log(5.0) - h1 / 0.05, 1e-14);
  const double h2 = (1 - 1.0 / 12) * h1 + (0.8 - 1.0) / 12, log2 = std::log(5.0) - std::sqrt(2.0) / 0.05 * h2;
  EXPECT_NEAR(std::log(da.update(3.0)), log2, 1e-14);  // an acceptance above 1 counts as 1
  const double w = std::pow(2.0, -0.75);
  EXPECT_NEAR(std::log(da.average()), w * log2 + (1 - w) * (std::log(5.0) - h1 / 0.05), 1e-14);
}

TEST(DualAveraging, ReachesItsTarget) {
  for (const double target : {0.234, 0.574, 0.8, 0.95}) {
    DualAveraging da;
    da.target = target;
    da.restart(1);
    double step = 1;
    for (int i = 0; i < 5000; ++i) step = da.update(std::exp(-step));  // acceptance exp(-step)
    EXPECT_NEAR(std::exp(-da.average()), target, 0.01);
  }
}

TEST(DualAveraging, TreatsNaNAsRejection) {
  DualAveraging a, b;
  a.restart(1);
  b.restart(1);
  EXPECT_EQ(a.update(std::nan("")), b.update(0));
}

TEST(Warmup, EndsWithTheAveragedStepSize) {
  test::SkewedTarget target;
  const Vec x = Vec::Zero(3);
  Nuts<Identity> kernel(target, {0, 3}, {.step_size = 1});
  auto s = kernel.init(x, Rng(1));
  Warmup<FixedIdentity> warmup(100, 0.8, false, {0, 3});
  warmup.begin(kernel, x, s, Rng(1));
  DualAveraging expected;
  expected.restart(kernel.params().step_size);
  for (int i = 0; i < 10; ++i) {
    Nuts<Identity>::Info info;
    info.accept_prob = i % 2;
    warmup.update(kernel, x, s, info, Rng(1));
    EXPECT_EQ(kernel.params().step_size, expected.update(info.accept_prob));
  }
  warmup.finish(kernel, x, s);
  EXPECT_EQ(kernel.params().step_size, expected.average());
}

TEST(StepSizeSearch, StopsWhereAcceptanceCrosses) {
  test::SkewedTarget target;
  const Vec x = Vec::Zero(3);
  for (const double start : {1e-6, 1.0, 1e4}) {
    Nuts<Identity> kernel(target, {0, 3}, {.step_size = start});
    auto s = kernel.init(x, Rng(1));
    EXPECT_GT(find_step_size(kernel, x, s, Rng(1)), 1);
    EXPECT_GT(kernel.params().step_size, 0.02);
    EXPECT_LT(kernel.params().step_size, 10);
  }
}

TEST(StepSizeSearch, AFlatDensityIsANamedError) {
  struct Flat final : Target {
    std::unique_ptr<Target> fork() const override { return std::make_unique<Flat>(*this); }
    Index dim() const override { return 1; }
    Eval logp_grad(In, Out grad) override {
      grad.setZero();
      return {0};
    }
  } target;
  const Vec x = Vec::Zero(1);
  Nuts<Identity> kernel(target, {0, 1}, {});
  auto s = kernel.init(x, Rng(1));
  EXPECT_THROW(find_step_size(kernel, x, s, Rng(1)), RunError);
}

}  // namespace
}  // namespace quasar
