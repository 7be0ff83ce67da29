// The mode of a target, found by L-BFGS and by gradient descent.
#include "solvers/optimize.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include <quasar/errors.hpp>

#include "solvers/line_search.hpp"
#include "support/error_message.hpp"
#include "support/regression.hpp"
#include "targets/banana.hpp"
#include "targets/eight_schools.hpp"

namespace quasar {
namespace {

// log pi(x) = f(x); f fills the gradient.
struct Function final : Target {
  using F = std::function<double(In, Out)>;
  Function(Index dim, F f) : dim_(dim), f_(std::move(f)) {}
  std::unique_ptr<Target> fork() const override { return std::make_unique<Function>(*this); }
  Index dim() const override { return dim_; }
  Eval logp_grad(In x, Out grad) override {
    ++evaluations;
    return {f_(x, grad)};
  }
  std::int64_t evaluations = 0;

 private:
  Index dim_;
  F f_;
};

// Curvatures from 1 to `condition`, the mode at (1, ..., d).
Function quadratic(Index dim, double condition) {
  const Vec curvature = Vec::LinSpaced(dim, 0, std::log(condition)).array().exp();
  const Vec mode = Vec::LinSpaced(dim, 1, static_cast<double>(dim));
  return {dim, [=](In x, Out grad) {
            grad = -curvature.cwiseProduct(x - mode);
            return 0.5 * grad.dot(x - mode);
          }};
}

Function rosenbrock() {
  return {2, [](In x, Out grad) {
            const double bend = x[1] - x[0] * x[0];
            grad << 400 * x[0] * bend + 2 * (1 - x[0]), -200 * bend;
            return -(100 * bend * bend + (1 - x[0]) * (1 - x[0]));
          }};
}

constexpr OptimizeOptions descent{.method = OptimizeOptions::gradient_descent, .max_iterations = 100'000};

// With line searches that are nearly exact, the steps are conjugate: as many as there are dimensions.
TEST(Optimize, AQuadraticInAsManyIterationsAsDimensions) {
  const Index dim = 8;
  Function target = quadratic(dim, 100);
  const Optimum found = optimize(target, Vec::Zero(dim), {.tolerance = 1e-8, .curvature = 0.01});
  EXPECT_EQ(found.stop, StopReason::converged);
  EXPECT_LE(found.iterations, dim + 2);
  EXPECT_LE(found.gradient_norm, 1e-8);
  EXPECT_LT((found.x - Vec::LinSpaced(dim, 1, 8)).norm(), 1e-8);  // curvatures are at least 1
  EXPECT_NEAR(found.logp, 0, 1e-15);
  EXPECT_EQ(found.gradients, target.evaluations);
}

TEST(Optimize, GradientDescentFindsTheSameMode) {
  Function target = quadratic(5, 20);
  const Optimum found = optimize(target, Vec::Zero(5), descent);
  EXPECT_EQ(found.stop, StopReason::converged);
  EXPECT_LT((found.x - Vec::LinSpaced(5, 1, 5)).norm(), 1e-6);
  EXPECT_EQ(found.gradients, target.evaluations);
}

TEST(Optimize, CurvedValleys) {
  Function valley = rosenbrock();
  const Optimum found = optimize(valley, Vec{{-1.2, 1}});
  EXPECT_EQ(found.stop, StopReason::converged);
  EXPECT_LT((found.x - Vec{{1, 1}}).norm(), 1e-5);
  EXPECT_LT(found.iterations, 60);

  Banana banana(10, 0.03);
  const Optimum top = optimize(banana, Vec{{5, 2}});
  EXPECT_EQ(top.stop, StopReason::converged);
  EXPECT_LT((top.x - Vec{{0, -3}}).norm(), 1e-4);  // x_1 = 0, x_2 = -b s^2; the curvature along it is 1/s^2
}

TEST(Optimize, TheModeOfARegressionHasNoGradient) {
  const Table table = test::make_table(60, 3, true);
  const auto target = test::logistic(table);
  const Optimum found = optimize(*target, Vec::Zero(target->dim()), {.tolerance = 1e-9});
  EXPECT_EQ(found.stop, StopReason::converged);
  Vec gradient(target->dim());
  EXPECT_EQ(target->logp_grad(found.x, gradient).logp, found.logp);
  EXPECT_EQ(gradient.norm(), found.gradient_norm);
  EXPECT_LT(gradient.norm(), 1e-9);
}

TEST(Optimize, StopsAtTheIterationLimit) {
  Function valley = rosenbrock();
  const Optimum found = optimize(valley, Vec{{-1.2, 1}}, {.max_iterations = 3});
  EXPECT_EQ(found.stop, StopReason::iteration_limit);
  EXPECT_EQ(found.iterations, 3);
  EXPECT_EQ(optimize(valley, Vec{{-1.2, 1}}, {.max_iterations = 0}).x, (Vec{{-1.2, 1}}));
  EXPECT_EQ(optimize(valley, Vec{{1, 1}}).iterations, 0);
}

// A constant of 1e8 leaves U no digits for the last steps: the slopes have to tell.
TEST(Optimize, GoesOnWhereTheDensityHasNoDigitsLeft) {
  Function inner = quadratic(3, 1000);
  Function target(3, [&](In x, Out grad) { return 1e8 + inner.logp_grad(x, grad).logp; });
  const Optimum found = optimize(target, Vec::Zero(3));
  EXPECT_EQ(found.stop, StopReason::converged);
  EXPECT_LT((found.x - Vec{{1, 2, 3}}).norm(), 1e-6);
}

// Density and gradient both rounded: the gradient never gets small. That is told, and the mode is as good as it can be:
// at curvatures of 1 to 1000 a step down the gradient gains g^2 / 2000, which 1e8 + logp hides below 1.5e-8.
TEST(Optimize, StopsWhereRoundingHidesTheRest) {
  const double grain = 1e-4;
  Function inner = quadratic(3, 1000);
  Function target(3, [&](In x, Out grad) {
    const double logp = inner.logp_grad(x, grad).logp;
    grad = grain * ((grad / grain).array().round() + 0.5);
    return 1e8 + logp;
  });
  for (const OptimizeOptions::Method method : {OptimizeOptions::lbfgs, OptimizeOptions::gradient_descent}) {
    const Optimum found = optimize(target, Vec::Zero(3), {.method = method, .max_iterations = 100'000});
    EXPECT_EQ(found.stop, StopReason::precision) << method;
    EXPECT_LT((found.x - Vec{{1, 2, 3}}).norm(), grain + std::sqrt(2000 * 1.5e-8));
  }
}

TEST(Optimize, StepsOutsideTheSupportAreShortened) {
  Function target(1, [](In x, Out grad) {  // gamma(3, 1), NaN for negative x
    grad[0] = 2 / x[0] - 1;
    return 2 * std::log(x[0]) - x[0];
  });
  for (const double start : {1e-3, 30.0}) {
    EXPECT_NEAR(optimize(target, Vec{{start}}).x[0], 2, 1e-5);
    EXPECT_NEAR(optimize(target, Vec{{start}}, descent).x[0], 2, 1e-5);
  }
}

TEST(Optimize, ADensityWithoutAModeIsAnError) {
  Function line(1, [](In x, Out grad) {
    grad[0] = 1;
    return x[0];
  });
  EXPECT_NE(test::error_message<RunError>([&] { optimize(line, Vec{{0}}); }).find("without end"), std::string::npos);

  Function half_line(1, [](In x, Out grad) {  // finite for x < 5
    grad[0] = 1;
    return x[0] < 5 ? x[0] : std::nan("");
  });
  for (const OptimizeOptions& options : {OptimizeOptions{}, descent}) {
    EXPECT_NE(test::error_message<RunError>([&] { optimize(half_line, Vec{{0}}, options); }).find("edge"),
              std::string::npos);
  }

  EightSchools centered(true);  // infinite where tau = 0 and all theta equal mu
  EXPECT_NE(test::error_message<RunError>([&] { optimize(centered, Vec::Ones(10)); }).find("spike"), std::string::npos);
}

TEST(Optimize, AStartWithoutADensityIsAnError) {
  Function nowhere(1, [](In, Out grad) {
    grad[0] = 0;
    return std::nan("");
  });
  EXPECT_NE(
      test::error_message<RunError>([&] { optimize(nowhere, Vec{{0}}); }).find("not finite at the starting point"),
      std::string::npos);
}

// Both conditions at the step found, from first steps that are far too short and far too long.
TEST(LineSearch, StrongWolfeConditions) {
  Function target(1, [](In x, Out grad) {  // U = x^4 / 4 - x
    grad[0] = 1 - x[0] * x[0] * x[0];
    return x[0] - std::pow(x[0], 4) / 4;
  });
  for (const double first : {1e-6, 0.1, 1.0, 50.0, 1e6}) {
    Ray ray(target, 1);
    ray.from << -2;
    ray.direction << 1;
    const RayPoint start = ray.at(0);
    const LineSearch found = strong_wolfe(ray, start, first, 0.9);
    ASSERT_EQ(found.outcome, LineSearch::moved);
    EXPECT_LE(found.end.u, start.u + 1e-4 * found.end.step * start.slope);
    EXPECT_LE(std::abs(found.end.slope), 0.9 * std::abs(start.slope));
    EXPECT_EQ(ray.x[0], -2 + found.end.step);
    EXPECT_EQ(ray.gradient[0], found.end.slope);
  }
}

}  // namespace
}  // namespace quasar
