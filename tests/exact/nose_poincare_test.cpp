// The maps of the thermostats, without statistics: their fields, order, reversal, volume, closed forms and limits.
#include <Eigen/LU>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "support/thermostat_points.hpp"

namespace quasar {
namespace {

using namespace test::thermostat;

template <class F>
Vec central_difference(const F& f, const Vec& at, Index i, double h) {
  const Vec e = h * Vec::Unit(at.size(), i);
  return (f(at + e) - f(at - e)) / (2 * h);
}

// With h and 2h, free of the error of order h^2.
template <class F>
Mat jacobian(const F& f, const Vec& at) {
  constexpr double h = 1e-4;
  Mat j(at.size(), at.size());
  for (Index i = 0; i < at.size(); ++i) {
    j.col(i) = (4 * central_difference(f, at, i, h) - central_difference(f, at, i, 2 * h)) / 3;
  }
  return j;
}

Mat canonical_form() {
  Mat omega = Mat::Zero(2 * dim + 2, 2 * dim + 2);
  omega.topRightCorner(dim + 1, dim + 1).setIdentity();
  omega.bottomLeftCorner(dim + 1, dim + 1) = -Mat::Identity(dim + 1, dim + 1);
  return omega;
}

TEST(NosePoincare, MovesAlongTheHamiltonianField) {
  test::SkewedTarget target;
  const auto h = [&](const Vec& flat) { return Vec::Constant(1, hamiltonian(target, dynamics(), flat)); };
  Vec slope(2 * dim + 2);
  for (Index i = 0; i < slope.size(); ++i) slope[i] = central_difference(h, start(), i, 1e-5)[0];
  const auto after = [&](double step) { return travelled(point(target, start()), target, dynamics(), step, 1).flat(); };
  const Vec velocity = (after(1e-4) - after(-1e-4)) / 2e-4;
  EXPECT_LT((velocity - canonical_form() * slope).norm(), 1e-7);
}

TEST(NosePoincare, EnergyErrorFallsAsTheSquareOfTheStep) {
  test::SkewedTarget target;
  const auto worst = [&](double step) {
    Point at = point(target, start());
    const double before = hamiltonian(target, dynamics(), at.flat());
    double error = 0;
    for (int i = 0; i < std::lround(4 / step); ++i) {
      at = travelled(at, target, dynamics(), step, 1);
      error = std::max(error, std::abs(hamiltonian(target, dynamics(), at.flat()) - before));
    }
    return error;
  };
  for (const double step : {0.04, 0.02}) EXPECT_NEAR(worst(step) / worst(step / 2), 4, 0.1);
}

TEST(NosePoincare, ComesBackWhenReversed) {
  test::SkewedTarget target;
  for (const int steps : {1, 7, 30}) {
    Point at = travelled(point(target, start()), target, dynamics(), 0.15, steps);
    at.z.p = -at.z.p;
    at.t.q = -at.t.q;
    at = travelled(at, target, dynamics(), 0.15, steps);
    at.z.p = -at.z.p;
    at.t.q = -at.t.q;
    EXPECT_LT((at.flat() - start()).norm(), 1e-11) << steps;
  }
}

TEST(NosePoincare, IsSymplecticAndPreservesVolume) {
  test::SkewedTarget target;
  const auto flow = [&](const Vec& flat) { return travelled(point(target, flat), target, dynamics(), 0.2, 3).flat(); };
  const Mat j = jacobian(flow, start()), omega = canonical_form();
  EXPECT_NEAR(j.determinant(), 1, 1e-9);
  EXPECT_LT((j.transpose() * omega * j - omega).norm(), 1e-9);
}

TEST(NosePoincare, SolvesItsEquations) {
  for (const double friction : {0.0, 2.0}) {
    for (const double u : {-3.0, 0.5, 1e-9, 40.0}) {
      constexpr double step = 0.1, twice_kinetic = 2.6;
      NosePoincare np = dynamics();
      np.thermostat_friction = friction;
      Thermostat t{std::log(start_s), start_q};
      ASSERT_TRUE(np.open(step, u, twice_kinetic, t));
      const double s = start_s, mass_of_q = np.thermostat_mass;
      const double force = twice_kinetic / (2 * s * s) - u - np.degrees * temperature * (1 + std::log(s)) + np.offset;
      const double slope = force - t.q * t.q / (2 * mass_of_q) - friction * s * t.q / mass_of_q;
      EXPECT_NEAR(t.q, start_q + step / 2 * slope, 1e-14);
      const double end_s = std::exp(t.log_s);
      EXPECT_NEAR(end_s, s + step / (2 * mass_of_q) * t.q * (s + end_s), 1e-14);
    }
  }
}

// Far up the potential no q solves its equation; far down s would turn negative.
TEST(NosePoincare, RefusesAStepThatCannotBeTakenBack) {
  NosePoincare np = dynamics();
  for (const double u : {200.0, -600.0}) {
    Thermostat t{0.2, start_q};
    EXPECT_FALSE(np.open(0.5, u, 2.6, t));
    EXPECT_EQ(t.log_s, 0.2);
    EXPECT_EQ(t.q, start_q);
    EXPECT_TRUE(np.open(0.05, u, 2.6, t));
  }
  Thermostat t;
  EXPECT_FALSE(np.open(0.1, std::nan(""), 2.6, t));
}

// x = e q/2Q at half time solves x^2 + 2 x = e c/Q, and beyond x = 1 the step back would find another root.
TEST(NosePoincare, RefusesTheBranchThatTheReverseStepWouldNotFind) {
  NosePoincare np = dynamics();
  constexpr double step = 0.5;
  const auto opens = [&](double x) {
    Thermostat t{0, (2 * x + x * x) * np.thermostat_mass / step};
    return np.open(step, np.offset - np.degrees * temperature, 0, t);
  };
  EXPECT_TRUE(opens(0.999));
  EXPECT_FALSE(opens(1.001));
  EXPECT_TRUE(opens(-0.999));
}

TEST(NosePoincare, WithAHeavyThermostatIsTheLeapfrog) {
  test::SkewedTarget target;
  Vec flat(2 * dim + 2);
  flat << x0, 1, p0, 0;
  Point heavy = point(target, flat), plain = heavy;
  NosePoincare np = dynamics();
  np.thermostat_mass = 1e12;
  np.offset = np.energy(heavy.z.u, p0.dot(heavy.z.v), heavy.t);
  heavy = travelled(heavy, target, np, 0.1, 20);
  for (int i = 0; i < 20; ++i) leapfrog(target, metric(), {0, dim}, 0.1, plain.z);
  EXPECT_LT((heavy.z.x - plain.z.x).norm(), 1e-10);
  EXPECT_LT((heavy.z.p - plain.z.p).norm(), 1e-10);
  EXPECT_NEAR(heavy.t.log_s, 0, 1e-10);
}

Vec real_start() {  // s = 1
  Vec flat(2 * dim + 2);
  flat << x0, 1, p0, start_q;
  return flat;
}

Vec real_point(const Point& at) {  // (x, p, q)
  Vec out(2 * dim + 1);
  out << at.z.x, at.z.p, at.t.q;
  return out;
}

TEST(NoseHoover, ComesBackWhenReversed) {
  test::SkewedTarget target;
  Point at = nose_hoover_travelled(point(target, real_start()), target, nose_hoover, 0.15, 30);
  at.z.p = -at.z.p;
  at.z.v = -at.z.v;
  at.t.q = -at.t.q;
  at = nose_hoover_travelled(at, target, nose_hoover, 0.15, 30);
  EXPECT_LT((at.z.x - x0).norm(), 1e-11);
  EXPECT_LT((at.z.p + p0).norm(), 1e-11);
  EXPECT_NEAR(at.t.q, -start_q, 1e-11);
  EXPECT_NEAR(at.t.log_s, 0, 1e-11);
}

TEST(NoseHoover, ScalesVolumeByThePowerOfS) {
  test::SkewedTarget target;
  Point end;
  const auto flow = [&](const Vec& xpq) {
    Vec flat(2 * dim + 2);
    flat << xpq.head(dim), 1, xpq.tail(dim + 1);
    end = nose_hoover_travelled(point(target, flat), target, nose_hoover, 0.2, 3);
    return real_point(end);
  };
  Vec at(2 * dim + 1);
  at << x0, p0, start_q;
  const double log_volume = std::log(jacobian(flow, at).determinant());
  flow(at);
  EXPECT_GT(std::abs(end.t.log_s), 0.1);  // so that the sign is seen
  EXPECT_NEAR(log_volume, -static_cast<double>(dim) * end.t.log_s, 1e-9);
}

TEST(NoseHoover, ConservedQuantityHasAnErrorOfSecondOrder) {
  test::SkewedTarget target;
  const auto conserved = [](const Point& at) {
    return at.z.energy() + nose_hoover.energy(at.t) + static_cast<double>(dim) * temperature * at.t.log_s;
  };
  const auto worst = [&](double step) {
    Point at = point(target, real_start());
    const double before = conserved(at);
    double error = 0;
    for (int i = 0; i < std::lround(4 / step); ++i) {
      at = nose_hoover_travelled(at, target, nose_hoover, step, 1);
      error = std::max(error, std::abs(conserved(at) - before));
    }
    return error;
  };
  for (const double step : {0.04, 0.02}) EXPECT_NEAR(worst(step) / worst(step / 2), 4, 0.1);
}

// On h = 0 the two thermostats are one flow, in real variables; their steps differ by O(e^2).
TEST(NoseHoover, IsNosePoincareOnTheShellOfZero) {
  test::SkewedTarget target;
  const auto difference = [&](double step) {
    const Point start = point(target, real_start());
    NosePoincare np = dynamics();
    np.offset = np.energy(start.z.u, p0.dot(start.z.v), start.t);
    const int steps = static_cast<int>(std::lround(2 / step));
    Point poincare = travelled(start, target, np, step, steps);
    poincare.z.p *= std::exp(-poincare.t.log_s);
    const Point hoover = nose_hoover_travelled(start, target, nose_hoover, step, steps);
    EXPECT_GT(std::abs(hoover.t.log_s), 0.1);
    return (real_point(poincare) - real_point(hoover)).norm() + std::abs(poincare.t.log_s - hoover.t.log_s);
  };
  EXPECT_NEAR(difference(0.02) / difference(0.01), 4, 0.1);
}

}  // namespace
}  // namespace quasar
