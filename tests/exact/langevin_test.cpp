// Langevin kernels on estimated gradients, step by step: schedules, mirrors, moves written out, pairs of HAMCMC.
#include <gtest/gtest.h>

#include <cmath>
#include <deque>
#include <optional>

#include <quasar/errors.hpp>

#include "kernels/langevin/hamcmc.hpp"
#include "kernels/langevin/psgld.hpp"
#include "kernels/langevin/sgld.hpp"
#include "support/targets.hpp"

namespace quasar {
namespace {

TEST(StepSchedule, IsTheFormula) {
  StepSchedule s{StepSchedule::constant, 0.3, 0.6, 4, 5};
  EXPECT_EQ(s.at(7), 0.3);
  s.kind = StepSchedule::power;
  EXPECT_DOUBLE_EQ(s.at(7), std::pow(0.3 / 7, 0.6));
  s.kind = StepSchedule::polynomial;
  EXPECT_DOUBLE_EQ(s.at(7), 0.3 * std::pow(11, -0.6));
  s.kind = StepSchedule::blocks;
  EXPECT_DOUBLE_EQ(s.at(5), std::pow(0.3 / 1, 0.6));
  EXPECT_DOUBLE_EQ(s.at(6), std::pow(0.3 / 6, 0.6));
  EXPECT_DOUBLE_EQ(s.at(10), std::pow(0.3 / 6, 0.6));
  s.kind = StepSchedule::cyclical;
  EXPECT_DOUBLE_EQ(s.at(1), 0.3);
  EXPECT_DOUBLE_EQ(s.at(6), 0.3);
  EXPECT_DOUBLE_EQ(s.at(4), 0.15 * (1 + std::cos(std::acos(-1) * 3 / 5)));
}

TEST(Mirror, ReflectsAtEveryEnd) {
  constexpr double inf = std::numeric_limits<double>::infinity();
  const std::vector<Interval> support{{0, inf}, {-inf, 2}, {1, 3}, {1, 3}, {1, 3}, {-inf, inf}};
  Vec x(6);
  x << -0.5, 2.25, 0.25, 3.5, 10.5, -7;
  mirror_into(support, {0, 6}, x);
  Vec expected(6);
  expected << 0.5, 1.75, 1.75, 2.5, 2.5, -7;  // 10.5 -> -4.5 -> 6.5 -> -0.5 -> 2.5
  EXPECT_LT((x - expected).norm(), 1e-14);
}

// As at an elastic wall: once for every reflection.
TEST(Mirror, TurnsTheMomentum) {
  constexpr double inf = std::numeric_limits<double>::infinity();
  const std::vector<Interval> support{{0, inf}, {-inf, 2}, {1, 3}, {1, 3}, {1, 3}};
  Vec x(5), p = Vec::Ones(5), expected(5);
  x << -0.5, 2.25, 2, 3.5, 5.5;  // 5.5 -> 0.5 -> 1.5
  mirror_into(support, {0, 5}, x, &p);
  expected << -1, -1, 1, -1, 1;
  EXPECT_EQ(p, expected);
  EXPECT_NEAR(x[4], 1.5, 1e-14);
}

TEST(Mirror, LeavesOtherBlocksAlone) {
  const std::vector<Interval> support(3, {0, 10});
  Vec x = Vec::Constant(3, -1);
  mirror_into(support, {1, 1}, x);
  EXPECT_EQ(x, (Vec(3) << -1, 1, -1).finished());
}

StochasticParams at_step(double size) {
  StochasticParams params;
  params.step.size = size;
  return params;
}

TEST(Sgld, MovesByDriftAndNoise) {
  test::SkewedTarget target;
  const Sgld kernel(target, {0, 3}, {}, at_step(0.02));
  Vec x(3), grad(3), z(3);
  x << 0.3, -0.2, 0.5;
  auto state = kernel.init(x, Rng(1));
  target.logp_grad(x, grad);
  const Rng rng = Rng(2).at(5);
  rng.stream("noise").normals(z);
  const Vec expected = x + 0.02 * grad + std::sqrt(0.04) * z;
  const auto info = kernel.step(x, state, rng);
  EXPECT_LT((x - expected).norm(), 1e-15);
  EXPECT_EQ(info.step_size, 0.02);
  EXPECT_EQ(info.grad_evals, 1);
  EXPECT_NEAR(info.gradient_norm, grad.norm(), 1e-15);
}

TEST(Sgld, WithoutTemperatureIsGradientDescent) {
  test::SkewedTarget target;
  StochasticParams params = at_step(0.02);
  params.temperature = 0;
  const Sgld kernel(target, {0, 3}, {}, params);
  Vec x = Vec::Constant(3, 0.4), grad(3);
  target.logp_grad(x, grad);
  const Vec expected = x + 0.02 * grad;
  auto state = kernel.init(x, Rng(1));
  kernel.step(x, state, Rng(2));
  EXPECT_LT((x - expected).norm(), 1e-15);
}

TEST(Sgld, MovesItsBlockOnly) {
  test::SkewedTarget target;
  const Sgld kernel(target, {1, 1}, {}, at_step(0.02));
  Vec x = Vec::Constant(3, 0.4);
  auto state = kernel.init(x, Rng(1));
  kernel.step(x, state, Rng(2));
  EXPECT_EQ(x[0], 0.4);
  EXPECT_NE(x[1], 0.4);
  EXPECT_EQ(x[2], 0.4);
}

TEST(Sgld, StopsWhenItRunsAway) {
  test::SkewedTarget target;
  const Sgld kernel(target, {0, 3}, {}, at_step(100));
  Vec x = Vec::Ones(3);
  auto state = kernel.init(x, Rng(1));
  const auto run = [&] {
    for (int i = 0; i < 1000; ++i) kernel.step(x, state, Rng(2).at(static_cast<std::uint64_t>(i)));
  };
  EXPECT_THROW(run(), Diverged);
}

// H, the divergence and the noise from the definitions; the diagonal of the Hessian in closed form.
TEST(Psgld, IsTheFormula) {
  test::SkewedTarget target;
  for (const bool first : {false, true}) {
    for (const auto correction : {PsgldParams::none, PsgldParams::full, PsgldParams::ema}) {
      PsgldParams params;
      params.step.size = 0.01;
      params.averaging = 0.9;
      params.regularization = 0.5;
      params.update_first = first;
      params.correction = correction;
      const Psgld kernel(target, {0, 1}, {}, params);  // one coordinate: the probing of the diagonal is exact there
      Vec x(3), grad(3), z(3);
      x << 0.3, -0.2, 0.5;
      auto state = kernel.init(x, Rng(1));
      target.logp_grad(x, grad);
      const Vec start = grad.cwiseAbs2();
      EXPECT_LT((state.v - start).norm(), 1e-15);
      state.v *= 2;
      const double v_old = state.v[0], v_new = 0.9 * v_old + 0.1 * start[0], v = first ? v_new : v_old;
      const double h = 1 / (0.5 + std::sqrt(v));
      const Rng rng = Rng(2).at(5);
      rng.stream("noise").normals(z);
      const double without = x[0] + 0.01 * h * grad[0] + std::sqrt(0.02 * h) * z[0];
      const Vec before = x;
      kernel.step(x, state, rng);
      EXPECT_NEAR(state.v[0], v_new, 1e-15);
      const double share = correction == PsgldParams::none ? 0 : correction == PsgldParams::ema ? 0.1 : 1;
      const double unit = -h * h * grad[0] / std::sqrt(v);
      if (share == 0) {
        EXPECT_NEAR(x[0], without, 1e-15);
      } else {  // of coordinates that it does not move, it probes none
        const double slope = (x[0] - without) / (0.01 * share * unit);
        EXPECT_NEAR(slope, -std::exp(before[0]) - 0.64 - 0.98 * 0.98, 1e-4);
      }
    }
  }
}

// U = sum t^4 - 2 t^2: curvature of both signs, so that some pairs are refused.
struct Wells final : Target {
  std::unique_ptr<Target> fork() const override { return std::make_unique<Wells>(*this); }
  Index dim() const override { return 3; }
  Eval logp_grad(In x, Out grad) override {
    grad = -4 * x.array().cube() + 4 * x.array();
    return {-(x.array().pow(4) - 2 * x.array().square()).sum()};
  }
};

struct Pair {
  Vec s, y;
};

// After every step H is the L-BFGS matrix of the usable pairs among those of the last M - 1 steps, oldest first.
TEST(Hamcmc, UsesThePairsOfTheOthersAlone) {
  for (const auto pairs : {HamcmcParams::random, HamcmcParams::printed}) {
    for (const std::int64_t memory : {2, 3, 4}) {
      Wells target;
      HamcmcParams params;
      params.step.size = 0.01;
      params.memory = memory;
      params.pairs = pairs;
      params.initial_scale = 0.2;
      params.min_curvature = 1;
      const Hamcmc kernel(target, {0, 3}, {}, params);
      Vec x = Vec::Constant(3, 0.5), v(3), found(3), expected(3);
      auto state = kernel.init(x, Rng(1));
      std::deque<std::optional<Pair>> window;
      std::int64_t refused = 0;
      for (int step = 0; step < 200; ++step) {
        const Index before = state.h.dropped();
        kernel.step(x, state, Rng(2).at(static_cast<std::uint64_t>(step)));
        const bool kept = state.h.dropped() == before;
        refused += kept ? 0 : 1;
        window.push_back(kept ? std::optional(Pair{state.pair_s, state.pair_y}) : std::nullopt);
        if (std::ssize(window) > memory - 1) window.pop_front();
        if (std::ssize(window) < memory - 1) continue;  // pairs from the start are still in
        Lbfgs reference(3, memory - 1);
        reference.set_initial_scale(0.2);
        for (const auto& pair : window) {
          if (pair) reference.add_pair(pair->s, pair->y, 1);
        }
        Rng(3).at(static_cast<std::uint64_t>(step)).stream("v").normals(v);
        state.h.apply(v, found);
        reference.apply(v, expected);
        ASSERT_EQ(state.h.pairs(), reference.pairs());
        ASSERT_LT((found - expected).norm(), 1e-10 * expected.norm());
      }
      EXPECT_GT(refused, 10);
      EXPECT_LT(refused, 190);
    }
  }
}

TEST(Hamcmc, MembersTakeTurns) {
  test::SkewedTarget target;
  HamcmcParams params;
  params.step.size = 0.01;
  const Hamcmc kernel(target, {0, 3}, {}, params);
  const std::vector<Vec> points{Vec::Zero(3), Vec::Ones(3), Vec::Constant(3, -1)};
  auto state = kernel.init(points, Rng(1));
  Vec x = points[0];
  for (Index turn = 0; turn < 3; ++turn) {
    const Mat before = state.positions;
    kernel.step(x, state, Rng(2).at(static_cast<std::uint64_t>(turn)));
    EXPECT_EQ(state.positions.col(turn), x);
    for (Index other = 0; other < 3; ++other) {
      if (other != turn) {
        EXPECT_EQ(state.positions.col(other), before.col(other));
      }
    }
  }
}

// y = change of grad U + shift s on a fixed quadratic; two gradients while learning, one once frozen. The scale of H is
// that of the pair that was left last.
TEST(Hamcmc, FrozenKeepsItsMetric) {
  test::SkewedTarget target;
  HamcmcParams params;
  params.step.size = 0.01;
  params.shift = 0.5;
  Hamcmc kernel(target, {0, 3}, {}, params);
  Vec x = Vec::Zero(3), v = Vec::Ones(3), before(3), after(3);
  auto state = kernel.init(x, Rng(1));
  EXPECT_EQ(kernel.step(x, state, Rng(2)).grad_evals, 2 + 4);  // and two for each pair at the start
  EXPECT_EQ(kernel.step(x, state, Rng(2).at(1)).grad_evals, 2);
  kernel.params().frozen = true;
  EXPECT_EQ(kernel.step(x, state, Rng(2).at(2)).grad_evals, 1);
  state.h.apply(v, before);
  state.h.set_initial_scale(state.h.newest_scale());
  state.h.apply(v, after);
  EXPECT_EQ(before, after);
  EXPECT_EQ(kernel.step(x, state, Rng(2).at(3)).grad_evals, 1);
  state.h.apply(v, after);
  EXPECT_EQ(before, after);
}

}  // namespace
}  // namespace quasar
