// The leapfrog map itself, without statistics: closed forms, reversal, volume, symplecticity, order.
#include "integrators/leapfrog.hpp"

#include <Eigen/LU>
#include <gtest/gtest.h>

#include <cmath>

#include "metrics/dense.hpp"
#include "metrics/diagonal.hpp"
#include "metrics/identity.hpp"
#include "support/targets.hpp"

namespace quasar {
namespace {

struct OneDimensional final : Target {  // U given by its value and derivative
  using Function = double (*)(double);
  Function u, du;
  OneDimensional(Function value, Function derivative) : u(value), du(derivative) {}
  std::unique_ptr<Target> fork() const override { return std::make_unique<OneDimensional>(*this); }
  Index dim() const override { return 1; }
  Eval logp_grad(In x, Out grad) override {
    grad[0] = -du(x[0]);
    return {-u(x[0])};
  }
};

Diagonal some_diagonal() {
  Diagonal metric(3);
  metric.set_variance(Vec{{0.5, 2.0, 1.3}});
  return metric;
}

Dense some_dense() {
  Dense metric(3);
  const Mat covariance{{1.5, 0.4, -0.3}, {0.4, 0.9, 0.2}, {-0.3, 0.2, 2.0}};
  EXPECT_TRUE(metric.set_covariance(covariance));
  return metric;
}

template <class P>
PhasePoint start_at(Target& target, const P& metric, In x, In p) {
  PhasePoint z(x.size(), x.size());
  z.x = x;
  z.p = p;
  metric.apply(z.p, z.v);
  z.u = potential(target, z.x, z.g);
  metric.apply(z.g, z.hg);
  return z;
}

template <class P>
PhasePoint travel(PhasePoint z, Target& target, const P& metric, double step, int steps) {
  for (int i = 0; i < steps; ++i) leapfrog(target, metric, {0, z.x.size()}, step, z);
  return z;
}

// (x, p) -> (x, p) as one vector, for differences.
template <class P>
Vec flow(Target& target, const P& metric, In xp) {
  const Index d = xp.size() / 2;
  const PhasePoint end = travel(start_at(target, metric, xp.head(d), xp.tail(d)), target, metric, 0.3, 4);
  Vec out(2 * d);
  out << end.x, end.p;
  return out;
}

const Vec x0{{-0.4, 0.7, 0.2}}, p0{{0.9, -1.1, 0.6}};

template <class F>
void with_each_metric(F&& f) {
  f(Identity(3));
  f(some_diagonal());
  f(some_dense());
}

TEST(Leapfrog, FollowsTheHarmonicOscillatorsClosedForm) {
  OneDimensional target([](double q) { return q * q / 2; }, [](double q) { return q; });
  const PhasePoint start = start_at(target, Identity(1), Vec{{1.0}}, Vec{{0.0}});
  const PhasePoint end = travel(start, target, Identity(1), 0.1, 10);
  const double phi = std::acos(1 - 0.1 * 0.1 / 2);
  EXPECT_NEAR(end.x[0], std::cos(10 * phi), 1e-13);
  EXPECT_NEAR(end.p[0], -std::sqrt(1 - 0.01 / 4) * std::sin(10 * phi), 1e-13);
  EXPECT_NEAR(end.x[0], 0.539951250934, 1e-12);
  EXPECT_NEAR(end.energy() - start.energy(), -8.856e-4, 1e-7);
}

TEST(Leapfrog, FollowsTheDoubleWell) {
  OneDimensional target([](double q) { return q * q * q * q - 2 * q * q; },
                        [](double q) { return 4 * q * q * q - 4 * q; });
  const PhasePoint end = travel(start_at(target, Identity(1), Vec{{1.0}}, Vec{{0.5}}), target, Identity(1), 0.1, 3);
  EXPECT_NEAR(end.x[0], 1.132600442832, 1e-12);
  EXPECT_NEAR(end.p[0], 0.304998225258, 1e-12);
}

TEST(Leapfrog, ComesBackWhenReversed) {
  test::SkewedTarget target;
  with_each_metric([&](const auto& metric) {
    PhasePoint z = travel(start_at(target, metric, x0, p0), target, metric, 0.3, 20);
    z.p = -z.p;
    z.v = -z.v;
    const PhasePoint back = travel(z, target, metric, 0.3, 20);
    EXPECT_LT((back.x - x0).norm(), 1e-11);
    EXPECT_LT((back.p + p0).norm(), 1e-11);
  });
}

TEST(Leapfrog, VelocityStaysTheMetricTimesTheMomentum) {
  test::SkewedTarget target;
  with_each_metric([&](const auto& metric) {
    const PhasePoint end = travel(start_at(target, metric, x0, p0), target, metric, 0.3, 50);
    Vec v(3);
    metric.apply(end.p, v);
    EXPECT_LT((end.v - v).norm(), 1e-12 * v.norm() * 50);
  });
}

TEST(Leapfrog, IsSymplecticAndPreservesVolume) {
  test::SkewedTarget target;
  Mat omega = Mat::Zero(6, 6);
  omega.topRightCorner(3, 3).setIdentity();
  omega.bottomLeftCorner(3, 3) = -Mat::Identity(3, 3);
  Vec xp(6);
  xp << x0, p0;
  with_each_metric([&](const auto& metric) {
    constexpr double h = 1e-5;
    Mat jacobian(6, 6);
    for (Index i = 0; i < 6; ++i) {
      const Vec e = h * Vec::Unit(6, i);
      jacobian.col(i) = (flow(target, metric, xp + e) - flow(target, metric, xp - e)) / (2 * h);
    }
    EXPECT_NEAR(jacobian.determinant(), 1, 1e-7);
    EXPECT_LT((jacobian.transpose() * omega * jacobian - omega).norm(), 1e-7);
  });
}

TEST(Leapfrog, EnergyErrorFallsAsTheSquareOfTheStep) {
  test::SkewedTarget target;
  with_each_metric([&](const auto& metric) {
    const PhasePoint start = start_at(target, metric, x0, p0);
    const auto error = [&](int steps) {
      return std::abs(travel(start, target, metric, 1.0 / steps, steps).energy() - start.energy());
    };
    const double slope = std::log2(error(64) / error(128));
    EXPECT_NEAR(slope, 2, 0.05);
  });
}

TEST(Leapfrog, MovesItsBlockOnly) {
  test::SkewedTarget target;
  const Block block{1, 1};
  PhasePoint z(3, 1);
  z.x = x0;
  z.p = Vec{{0.7}};
  z.v = z.p;
  z.u = potential(target, z.x, z.g);
  z.hg = z.g.segment(1, 1);
  leapfrog(target, Identity(1), block, 0.2, z);
  EXPECT_EQ(z.x[0], x0[0]);
  EXPECT_EQ(z.x[2], x0[2]);
  EXPECT_NE(z.x[1], x0[1]);
}

TEST(Potential, IsInfiniteOutsideTheSupportAndWhereTheDensityIsNotFinite) {
  struct Broken final : Target {
    double value = 0;
    Interval support_[1] = {{0, 1}};
    std::unique_ptr<Target> fork() const override { return std::make_unique<Broken>(*this); }
    Index dim() const override { return 1; }
    Eval logp_grad(In, Out grad) override {
      grad[0] = 0;
      return {value, value != 7};
    }
    std::span<const Interval> support() const override { return support_; }
  } target;
  Vec g(1);
  EXPECT_EQ(potential(target, Vec{{0.5}}, g), 0);
  for (const double outside : {-0.1, 0.0, 1.0, 1.1, std::nan("")})
    EXPECT_EQ(potential(target, Vec{{outside}}, g), INFINITY);
  for (const double bad : std::initializer_list<double>{std::nan(""), INFINITY, -INFINITY, 7.0}) {
    target.value = bad;
    EXPECT_EQ(potential(target, Vec{{0.5}}, g), INFINITY);
  }
}

}  // namespace
}  // namespace quasar
