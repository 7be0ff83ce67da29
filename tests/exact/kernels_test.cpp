// What must hold after every single step of every kernel, without statistics.
#include "support/kernels.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "support/targets.hpp"

namespace quasar {
namespace {

using test::SkewedTarget;
static_assert(Kernel<Hmc<Identity>> && Kernel<Nuts<Diagonal>> && Kernel<Mala<Dense>> && Kernel<Rwm<Diagonal>>);

const Vec start{{-0.4, 0.3, 0.2}};

TEST(Kernels, CacheIsFreshAfterEveryStep) {
  SkewedTarget target;
  test::with_each_kernel_and_metric(target, [&](const std::string& name, auto kernel) {
    SCOPED_TRACE(name);
    const Rng rng(3);
    Vec x = start, g(3);
    auto s = kernel.init(x, rng);
    int moved = 0;
    for (std::uint64_t i = 0; i < 300; ++i) {
      const Vec before = x;
      kernel.step(x, s, rng.at(i));
      moved += x != before;
      ASSERT_EQ(s.u, potential(target, x, g)) << i;
      ASSERT_EQ(s.g, g) << i;
    }
    EXPECT_GT(moved, 50);
    EXPECT_LT(moved, 300);  // both branches were taken
  });
}

TEST(Kernels, CountEveryGradient) {
  SkewedTarget target;
  test::with_each_kernel_and_metric(target, [&](const std::string& name, auto kernel) {
    SCOPED_TRACE(name);
    const Rng rng(4);
    Vec x = start;
    auto s = kernel.init(x, rng);
    for (std::uint64_t i = 0; i < 50; ++i) {
      const long before = target.evaluations;
      const auto info = kernel.step(x, s, rng.at(i));
      ASSERT_EQ(info.grad_evals, target.evaluations - before);
    }
  });
}

TEST(Kernels, AreFunctionsOfPositionStateAndName) {
  SkewedTarget target;
  test::with_each_kernel_and_metric(target, [&](const std::string& name, auto kernel) {
    SCOPED_TRACE(name);
    const Rng rng(5);
    Vec x = start, y = start;
    auto s = kernel.init(x, rng), t = kernel.init(y, rng);
    for (std::uint64_t i = 0; i < 20; ++i) kernel.step(x, s, rng.at(i));
    for (std::uint64_t i = 0; i < 20; ++i) kernel.step(y, t, rng.at(i));
    EXPECT_EQ(x, y);
    for (std::uint64_t i = 0; i < 20; ++i) kernel.step(y, t, Rng(6).at(i));
    EXPECT_NE(x, y);
  });
}

// A kernel on a block of x leaves the rest alone and sees it as fixed.
TEST(Kernels, MoveTheirBlockOnly) {
  SkewedTarget target;
  const auto expect_block = [&](auto kernel) {
    const Rng rng(7);
    Vec x = start;
    auto s = kernel.init(x, rng);
    for (std::uint64_t i = 0; i < 30; ++i) kernel.step(x, s, rng.at(i));
    EXPECT_EQ(x[0], start[0]);
    EXPECT_NE(x[1], start[1]);
    EXPECT_NE(x[2], start[2]);
  };
  const Block block{1, 2};
  expect_block(Hmc<Diagonal>(target, block, {{.step_size = 0.5, .leapfrog_steps = 3}, Diagonal(2)}));
  expect_block(Nuts<Diagonal>(target, block, {.step_size = 0.5, .metric = Diagonal(2)}));
  expect_block(Mala<Diagonal>(target, block, {.step_size = 0.3, .metric = Diagonal(2)}));
  expect_block(Rwm<Diagonal>(target, block, {.step_size = 0.5, .metric = Diagonal(2)}));
}

TEST(Kernels, RebaseRenewsTheCache) {
  SkewedTarget target;
  test::with_each_kernel_and_metric(target, [&](const std::string& name, auto kernel) {
    SCOPED_TRACE(name);
    Vec x = start, g(3);
    auto s = kernel.init(x, Rng(1));
    x[0] += 0.5;
    kernel.rebase(x, s);
    EXPECT_EQ(s.u, potential(target, x, g));
    EXPECT_EQ(s.g, g);
  });
}

// The one-step acceptance ratio of MALA written out with its proposal densities.
TEST(Mala, EnergyErrorIsTheMetropolisHastingsRatio) {
  SkewedTarget target;
  const double e = 0.3;
  const Vec h{{0.7, 1.5, 1.2}};
  auto kernel = test::coarse_mala(target, test::coarse_diagonal());
  auto s = kernel.init(start, Rng(9));
  const double log_ratio = kernel.log_accept(e, start, s, Rng(9));
  const Vec proposal = s.z.x;
  Vec g0(3), g1(3);
  const double u0 = potential(target, start, g0), u1 = potential(target, proposal, g1);
  const auto log_q = [&](const Vec& to, const Vec& from, const Vec& g) {
    const Vec off = to - from + e * h.cwiseProduct(g);
    return -off.cwiseAbs2().cwiseQuotient(4 * e * h).sum();
  };
  EXPECT_NEAR(log_ratio, u0 - u1 + log_q(start, proposal, g1) - log_q(proposal, start, g0), 1e-12);
}

struct HalfSpace final : Target {  // exponential on x > 0 in natural coordinates; NaN beyond 30
  Interval support_[1] = {{0, INFINITY}};
  std::unique_ptr<Target> fork() const override { return std::make_unique<HalfSpace>(*this); }
  Index dim() const override { return 1; }
  Eval logp_grad(In x, Out grad) override {
    EXPECT_GT(x[0], 0) << "evaluated outside its support";
    grad[0] = x[0] > 30 ? std::nan("") : -1;
    return {x[0] > 30 ? std::nan("") : -x[0]};
  }
  std::span<const Interval> support() const override { return support_; }
};

TEST(Kernels, NeverLeaveTheSupport) {
  HalfSpace target;
  const Block whole{0, 1};
  const auto expect_inside = [&](auto kernel) {
    Vec x{{0.5}};
    auto s = kernel.init(x, Rng(2));
    for (std::uint64_t i = 0; i < 500; ++i) {
      kernel.step(x, s, Rng(2).at(i));
      ASSERT_GT(x[0], 0);
      ASSERT_LE(x[0], 30);
    }
  };
  expect_inside(Hmc<Identity>(target, whole, {{.step_size = 0.7, .leapfrog_steps = 4}}));
  expect_inside(Nuts<Identity>(target, whole, {.step_size = 0.7}));
  expect_inside(Mala<Identity>(target, whole, {.step_size = 0.5}));
  expect_inside(Rwm<Identity>(target, whole, {.step_size = 2.0}));
}

TEST(Nuts, StopsAtTheMaximumDepthAndSaysSo) {
  SkewedTarget target;
  Nuts<Identity> kernel(target, {0, 3}, {.step_size = 1e-3, .max_depth = 4});
  Vec x = start;
  auto s = kernel.init(x, Rng(1));
  const auto info = kernel.step(x, s, Rng(1).at(0));
  EXPECT_EQ(info.tree_depth, 4);
  EXPECT_EQ(info.n_steps, 15);
  EXPECT_TRUE(info.reached_max_tree_depth);
  EXPECT_NEAR(info.accept_prob, 1, 1e-4);
}

TEST(Nuts, ReportsADivergenceWithItsPosition) {
  SkewedTarget target;
  Nuts<Identity> kernel(target, {0, 3}, {.step_size = 60});
  Vec x = start;
  auto s = kernel.init(x, Rng(1));
  const auto info = kernel.step(x, s, Rng(1).at(0));
  EXPECT_TRUE(info.diverged);
  EXPECT_EQ(x, start);
  EXPECT_EQ(s.diverged_at, start);  // the step that diverged was the first
  EXPECT_EQ(info.lp, -s.u);
}

TEST(Nuts, AppendingJoinsTwoStretches) {
  const auto stretch = [](double p, double log_weight) {
    Subtree t;
    t.first = {Vec{{p}}, Vec{{2 * p}}};
    t.last = {Vec{{3 * p}}, Vec{{4 * p}}};
    t.rho = t.x = t.g = Vec{{5 * p}};
    t.u = t.energy = 6 * p;
    t.log_weight = log_weight;
    return t;
  };
  for (const bool take : {false, true}) {
    Subtree a = stretch(1, std::log(3.0)), b = stretch(10, std::log(4.0));
    append(a, b, take);
    EXPECT_EQ(a.first.p[0], 1);
    EXPECT_EQ(a.last.p[0], 30);
    EXPECT_EQ(a.last.v[0], 40);
    EXPECT_EQ(a.rho[0], 55);
    EXPECT_NEAR(a.log_weight, std::log(7.0), 1e-15);
    EXPECT_EQ(a.x[0], take ? 50 : 5);
    EXPECT_EQ(a.g[0], take ? 50 : 5);
    EXPECT_EQ(a.u, take ? 60 : 6);
    EXPECT_EQ(a.energy, take ? 60 : 6);
  }
}

// A line: momenta never turn, so every doubling goes on, and both ends count 2^depth - 1 steps together.
TEST(Nuts, CriterionSeesAStraightLineAndATurn) {
  const auto stretch = [](const Vec& first, const Vec& last, const Vec& rho) {
    Subtree t;
    t.first = {first, first};
    t.last = {last, last};
    t.rho = rho;
    return t;
  };
  const Vec right{{1.0, 0.0}}, up{{0.0, 1.0}}, left{{-1.0, 0.0}};
  EXPECT_TRUE(goes_straight(stretch(right, right, 2 * right), stretch(right, right, 2 * right)));
  EXPECT_FALSE(goes_straight(stretch(right, up, right + up), stretch(left, -up, left - up)));
  // Each half goes straight and so does the whole, but not the first half with its new neighbour.
  EXPECT_TRUE(goes_straight(stretch(right, right, 2 * right), stretch(right + 0.1 * up, right, 2 * right)));
  EXPECT_FALSE(goes_straight(stretch(right, right, 2 * right), stretch(5 * left, right, 9 * right)));
  // ... and not the second half with its new neighbour.
  EXPECT_FALSE(goes_straight(stretch(right, 5 * left, 9 * right), stretch(right, right, 2 * right)));
}

}  // namespace
}  // namespace quasar
