// check_gradient must find planted errors and name the coordinate, and must not complain about right gradients.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>

#include <quasar/check_gradient.hpp>
#include <quasar/errors.hpp>

namespace quasar {
namespace {

// A target from one function, so that each test shows its whole density.
struct Function final : Target {
  using Body = std::function<Eval(In, Out)>;
  Function(Index dim, Body function) : size(dim), body(std::move(function)) {}
  std::unique_ptr<Target> fork() const override { return std::make_unique<Function>(*this); }
  Index dim() const override { return size; }
  Eval logp_grad(In x, Out grad) override { return body(x, grad); }
  std::span<const Interval> support() const override { return bounds; }

  Index size;
  Body body;
  std::vector<Interval> bounds;
};

// log p = -sum cosh x_i, with the derivative of one coordinate multiplied by `factor`.
Function cosh_target(Index dim, Index wrong, double factor) {
  return {dim, [=](In x, Out grad) {
            grad = -x.array().sinh();
            grad[wrong] *= factor;
            return Eval{-x.array().cosh().sum()};
          }};
}

TEST(CheckGradient, AcceptsRightGradientWithSlopeTwo) {
  Function target = cosh_target(5, 0, 1.0);
  const GradientCheck check = check_gradient_at_random(target, Rng(1));
  EXPECT_TRUE(check.ok) << check.message;
  EXPECT_NEAR(check.slope, 2, 0.01);
  EXPECT_LT(check.max_relative_error, 1e-9);
}

TEST(CheckGradient, FindsOneWrongCoordinateHoweverSmallTheError) {
  for (const double factor : {-1.0, 0.0, 0.5, 1.01, 1.0001, 1 + 1e-5}) {
    Function target = cosh_target(5, 3, factor);
    const GradientCheck check = check_gradient(target, Vec::LinSpaced(5, 0.3, 1.5));
    EXPECT_FALSE(check.ok) << factor;
    EXPECT_EQ(check.worst_coordinate, 3) << factor;
    EXPECT_NEAR(check.max_relative_error, std::fabs(factor - 1) / std::max(1.0, std::fabs(factor)), 1e-8);
    EXPECT_LT(check.slope, 1.2) << factor;
    EXPECT_NE(check.message.find("does not agree"), std::string::npos);
    EXPECT_NE(check.message.find("coordinate 4"), std::string::npos) << check.message;
  }
}

TEST(CheckGradient, FindsConstantMissingFromTheGradientOfALargeDensity) {
  Function target(2, [](In x, Out grad) {
    grad << -1e6 * x[0], -x[1] + 1e-3;
    return Eval{-0.5e6 * x[0] * x[0] - 0.5 * x[1] * x[1] + 1e4};
  });
  const GradientCheck check = check_gradient(target, Vec{{0.1, 0.7}});
  EXPECT_FALSE(check.ok);
  EXPECT_EQ(check.worst_coordinate, 1);
}

TEST(CheckGradient, DemandsThatTheGradientIsOverwritten) {
  Function target(2, [](In x, Out grad) {
    grad -= x;
    return Eval{-0.5 * x.squaredNorm()};
  });
  EXPECT_FALSE(check_gradient(target, Vec::Ones(2)).ok);
}

TEST(CheckGradient, AcceptsALinearDensityWithoutASlope) {
  Function target(3, [](In x, Out grad) {
    grad.setConstant(2);
    return Eval{2 * x.sum()};
  });
  const GradientCheck check = check_gradient(target, Vec{{1, -2, 3}});
  EXPECT_TRUE(check.ok) << check.message;
  EXPECT_TRUE(std::isnan(check.slope));
}

TEST(CheckGradient, FindsAWrongGradientOfALinearDensity) {
  Function target(3, [](In x, Out grad) {
    grad << 2, 2, 2.001;
    return Eval{2 * x.sum()};
  });
  const GradientCheck check = check_gradient(target, Vec{{1, -2, 3}});
  EXPECT_FALSE(check.ok);
  EXPECT_EQ(check.worst_coordinate, 2);
}

TEST(CheckGradient, AcceptsVanishingCurvatureAndVanishingGradient) {
  Function cubic(1, [](In x, Out grad) {  // at 0 both the first and the second derivative are 0
    grad[0] = 3 * x[0] * x[0];
    return Eval{x[0] * x[0] * x[0]};
  });
  const GradientCheck check = check_gradient(cubic, Vec::Zero(1));
  EXPECT_TRUE(check.ok) << check.message;
  EXPECT_GT(check.slope, 2.9);
}

TEST(CheckGradient, FindsAKinkThatTheAxesDoNotShow) {
  Function target(2, [](In x, Out grad) {  // along both axes it is 0, as are its partial derivatives at 0
    grad.setZero();
    return Eval{-std::sqrt(std::fabs(x[0] * x[1]))};
  });
  const GradientCheck check = check_gradient(target, Vec::Zero(2));
  EXPECT_EQ(check.max_relative_error, 0);
  EXPECT_NEAR(check.slope, 1, 1e-6);
  EXPECT_FALSE(check.ok);
}

TEST(CheckGradient, SaysWhenTheDensityIsNotFinite) {
  Function refuses(1, [](In, Out) { return Eval{0, false}; });
  Function infinite(1, [](In, Out grad) {
    grad.setZero();
    return Eval{-std::numeric_limits<double>::infinity()};
  });
  for (Function* target : {&refuses, &infinite}) {
    const GradientCheck check = check_gradient(*target, Vec::Zero(1));
    EXPECT_FALSE(check.ok);
    EXPECT_NE(check.message.find("not finite"), std::string::npos);
  }
  Function nan_gradient(1, [](In x, Out grad) {
    grad[0] = std::numeric_limits<double>::quiet_NaN();
    return Eval{x[0]};
  });
  EXPECT_FALSE(check_gradient(nan_gradient, Vec::Zero(1)).ok);
}

// Gamma(3, 1) x (1 - y) on x > 0, 0 < y < 1: the points must lie inside, and the steps must not leave.
TEST(CheckGradient, StaysInsideTheSupport) {
  Function target(2, [](In x, Out grad) {
    if (!(x[0] > 0 && x[1] > 0 && x[1] < 1)) return Eval{0, false};
    grad << 2 / x[0] - 1, -1 / (1 - x[1]);
    return Eval{2 * std::log(x[0]) - x[0] + std::log(1 - x[1])};
  });
  target.bounds = {{0, std::numeric_limits<double>::infinity()}, {0, 1}};
  const GradientCheck random = check_gradient_at_random(target, Rng(2), 20);
  EXPECT_TRUE(random.ok) << random.message;
  const GradientCheck edge = check_gradient(target, Vec{{5e-4, 1 - 5e-4}});
  EXPECT_TRUE(edge.ok) << edge.message;
}

TEST(CheckGradient, RejectsAPointOfTheWrongSize) {
  Function target = cosh_target(5, 0, 1.0);
  EXPECT_THROW(check_gradient(target, Vec::Zero(4)), UsageError);
}

}  // namespace
}  // namespace quasar
