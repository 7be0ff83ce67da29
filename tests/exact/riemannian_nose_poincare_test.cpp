// Riemannian Nose-Poincare dynamics, without statistics: the map against the energy, reversal, volume, order, closed
// forms and limits, failures.
#include "integrators/riemannian_nose_poincare.hpp"

#include <Eigen/LU>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "integrators/generalized_leapfrog.hpp"
#include "integrators/nose_poincare.hpp"
#include "integrators/potential.hpp"
#include "integrators/scaled_geometry.hpp"
#include "support/geometries.hpp"

namespace quasar {
namespace {

using Method = ImplicitSettings::Method;

// The whole state as numbers: x, s, p, q.
struct Flow {
  const test::Curved& c;
  RiemannianNosePoincare map;
  RiemannianThermostatPoint z;
  Index d;

  Flow(const test::Curved& curved, ImplicitSettings settings, RiemannianThermostat thermostat)
      : c(curved),
        map(*c.target, c.geometry(), settings, thermostat),
        z(c.x.size(), c.geometry().diagonal()),
        d(c.x.size()) {
    place(c.x, 1, c.p, 0);
    place(c.x, 1.2, c.p, 0.4 / std::sqrt(map.inverse_mass(z)));
    z.reference = map.energy(z) - 0.3;
  }

  void place(const Vec& x, double s, const Vec& p, double q) {
    z.x = x;
    z.p = p;
    z.q = q;
    z.log_s = std::log(s);
    z.u = potential(*c.target, x, z.g);
    ASSERT_EQ(map.locate(z), StepFailure::none);
    z.metric.solve(z.p, z.v);
  }
  void place(const Vec& all) { place(all.head(d), all[d], all.segment(d + 1, d), all[2 * d + 1]); }

  Vec all() const {
    Vec out(2 * d + 2);
    out << z.x, z.s(), z.p, z.q;
    return out;
  }
  Vec units() const {  // of x, s, p, q; conjugate ones have the product 1
    const double q = 1 / std::sqrt(map.inverse_mass(z));
    Vec out(2 * d + 2);
    out << z.metric.root_diagonal().cwiseInverse(), 1 / q, z.metric.root_diagonal(), q;
    return out;
  }
  void travel(double size, int steps) {
    for (int i = 0; i < steps; ++i) ASSERT_EQ(map.step(size, z), StepFailure::none) << i;
  }
};

double distance(const Flow& flow, const Vec& other) {
  Vec units = flow.units();
  units[flow.d] = 1;  // s has no unit
  return (flow.all() - other).cwiseQuotient(units).cwiseAbs().maxCoeff();
}

RiemannianThermostat thermostat_of(const test::Curved& c, double exponent, double temperature) {
  const auto d = static_cast<double>(c.x.size());
  return {.mass = exponent == 0 ? d : 1, .exponent = exponent, .temperature = temperature, .degrees = d};
}

using Test = std::function<void(const test::Curved&, const RiemannianThermostat&)>;

// Every target, the exponents 0, 1/D and 1, two temperatures.
void with_each_thermostat(const Test& f) {
  for (const test::Curved& c : test::curved_targets()) {
    for (const double a : {0.0, 1 / static_cast<double>(c.x.size()), 1.0}) {
      for (const double temperature : {1.0, 0.7}) {
        SCOPED_TRACE(c.name + ", a = " + std::to_string(a) + ", T = " + std::to_string(temperature));
        f(c, thermostat_of(c, a, temperature));
      }
    }
  }
}

template <class F>
Vec central_difference(F&& f, double h) {
  return (8 * (f(h) - f(-h)) - (f(2 * h) - f(-2 * h))) / (12 * h);
}

TEST(RiemannianNosePoincare, MovesAlongTheFieldOfItsEnergy) {
  with_each_thermostat([](const test::Curved& c, const RiemannianThermostat& thermostat) {
    Flow flow(c, {.check_reversal = false}, thermostat);
    const Vec start = flow.all(), units = flow.units();
    const Index n = start.size() / 2;
    Vec slope(start.size());
    for (Index i = 0; i < start.size(); ++i) {
      slope[i] = central_difference(
          [&](double h) {
            flow.place(start + h * units[i] * Vec::Unit(start.size(), i));
            return Vec::Constant(1, flow.map.hamiltonian(flow.z));
          },
          1e-3)[0];
    }
    const Vec motion = central_difference(
        [&](double h) {
          flow.place(start);
          flow.travel(h, 1);
          return flow.all();
        },
        1e-3);
    const Vec found = motion.cwiseQuotient(units);
    const double allowed = 1e-7 * std::max(1.0, slope.cwiseAbs().maxCoeff()) + c.rounding * 1e3;
    EXPECT_LT((found.head(n) - slope.tail(n)).cwiseAbs().maxCoeff(), allowed);
    EXPECT_LT((found.tail(n) + slope.head(n)).cwiseAbs().maxCoeff(), allowed);
  });
}

TEST(RiemannianNosePoincare, ComesBackWhenReversed) {
  with_each_thermostat([](const test::Curved& c, const RiemannianThermostat& thermostat) {
    for (const int steps : {1, 5, 12}) {
      Flow flow(c, {}, thermostat);
      const Vec start = flow.all();
      flow.travel(0.1, steps);
      EXPECT_GT(distance(flow, start), 0.02);
      flow.z.turn();
      flow.travel(0.1, steps);
      flow.z.turn();
      EXPECT_LT(distance(flow, start), 1e-10 + steps * c.rounding) << steps;
    }
  });
}

TEST(RiemannianNosePoincare, EnergyErrorFallsAsTheSquareOfTheStep) {
  with_each_thermostat([](const test::Curved& c, const RiemannianThermostat& thermostat) {
    const auto worst = [&](int steps) {
      Flow flow(c, {}, thermostat);
      const double before = flow.map.hamiltonian(flow.z);
      double error = 0;
      for (int i = 0; i < steps; ++i) {
        flow.travel(1.0 / steps, 1);
        error = std::max(error, std::abs(flow.map.hamiltonian(flow.z) - before));
      }
      return error;
    };
    EXPECT_NEAR(worst(80) / worst(160), 4, 0.1);
  });
}

TEST(RiemannianNosePoincare, IsSymplecticAndPreservesVolume) {
  with_each_thermostat([](const test::Curved& c, const RiemannianThermostat& thermostat) {
    Flow flow(c, {}, thermostat);
    const Vec start = flow.all(), units = flow.units();
    const Index size = start.size(), n = size / 2;
    const double h = c.rounding > 0 ? 1e-2 : 1e-4, allowed = 1e-7 + c.rounding / h;
    Mat j(size, size), omega = Mat::Zero(size, size);
    for (Index i = 0; i < size; ++i) {
      j.col(i) = central_difference(
          [&](double step) {
            flow.place(start + step * units[i] * Vec::Unit(size, i));
            flow.travel(0.15, 2);
            return Vec(flow.all().cwiseQuotient(units));
          },
          h);
    }
    omega.topRightCorner(n, n).setIdentity();
    omega.bottomLeftCorner(n, n) = -Mat::Identity(n, n);
    EXPECT_NEAR(j.determinant(), 1, allowed);
    EXPECT_LT((j.transpose() * omega * j - omega).cwiseAbs().maxCoeff(), allowed);
  });
}

TEST(RiemannianNosePoincare, SolversAgree) {
  with_each_thermostat([](const test::Curved& c, RiemannianThermostat thermostat) {
    thermostat.friction = 0.4;
    thermostat.thermostat_friction = 0.7;
    Flow newton(c, {.check_reversal = false}, thermostat),
        plain(c, {.method = Method::fixed_point, .check_reversal = false}, thermostat);
    newton.travel(0.1, 10);
    plain.travel(0.1, 10);
    EXPECT_LT(distance(newton, plain.all()), 1e-8 + 10 * c.rounding);
    EXPECT_LE(newton.map.iterations(), plain.map.iterations());
  });
}

TEST(RiemannianNosePoincare, HasAClosedFormForPositiveParameters) {
  const test::Curved c = test::positive_parameters();
  for (const double a : {0.0, 0.5, 1.0}) {
    for (const double friction : {0.0, 0.6}) {
      RiemannianThermostat thermostat = thermostat_of(c, a, 0.7);
      thermostat.friction = friction;
      thermostat.thermostat_friction = 2 * friction;
      const bool check = friction == 0;  // with friction there is no way back
      Flow newton(c, {.check_reversal = check}, thermostat),
          closed(c, {.method = Method::closed_form, .check_reversal = check}, thermostat);
      for (int i = 0; i < 20; ++i) {
        newton.travel(0.1, 1);
        closed.travel(0.1, 1);
        EXPECT_LT(distance(newton, closed.all()), 1e-12) << a << ", " << i;
      }
      EXPECT_EQ(closed.map.iterations() > 0, a > 0);  // a = 0 is explicit throughout
    }
  }
}

TEST(GeneralizedLeapfrog, HasAClosedFormForPositiveParameters) {
  const test::Curved c = test::positive_parameters();
  const auto end = [&](Method method, std::int64_t& iterations) {
    GeneralizedLeapfrog map(*c.target, c.geometry(), {.method = method}, 0.7);
    RiemannianPoint z(2, true);
    z.x = c.x;
    z.p = c.p;
    z.u = potential(*c.target, z.x, z.g);
    EXPECT_EQ(map.locate(z), StepFailure::none);
    z.metric.solve(z.p, z.v);
    for (int i = 0; i < 20; ++i) EXPECT_EQ(map.step(0.15, z), StepFailure::none);
    iterations = map.iterations();
    Vec all(4);
    all << z.x, z.p;
    return all;
  };
  std::int64_t newton = 0, closed = 0;
  EXPECT_LT((end(Method::newton, newton) - end(Method::closed_form, closed)).cwiseAbs().maxCoeff(), 1e-12);
  EXPECT_GT(newton, 0);
  EXPECT_EQ(closed, 0);
}

struct ConstantGeometry final : Geometry {
  Mat g;
  explicit ConstantGeometry(Mat metric) : g(std::move(metric)) {}
  bool diagonal() const override { return false; }
  bool metric(In, Mat& out) override {
    out = g;
    return true;
  }
  void directional(In x, In, Mat& out) override { out.setZero(x.size(), x.size()); }
  void contract(In, const Mat&, Out out) override { out.setZero(); }
  void divergence(In, Out out) override { out.setZero(); }
};

// The map of a constant mass, written on its own: velocities (M + damping)^-1 p, U at every new place.
struct ConstantForces {
  Target& target;
  const Mat& mass;
  void velocity(In p, double damping, Out v) const {
    v = (mass + damping * Mat::Identity(mass.rows(), mass.cols())).llt().solve(p);
  }
  void renew(PhasePoint& z) const { z.u = potential(target, z.x, z.g); }
};

TEST(RiemannianNosePoincare, IsTheExplicitMapWhereTheMetricIsConstant) {
  const Mat mass{{1.5, 0.4, 0.0}, {0.4, 2.0, -0.3}, {0.0, -0.3, 0.8}};
  for (const double friction : {0.0, 0.5}) {
    test::Curved c{"constant", std::make_unique<test::SkewedTarget>(), std::make_shared<ConstantGeometry>(mass),
                   Vec{{-0.4, 0.7, 0.2}}, Vec{{0.9, -1.1, 0.6}}};
    Flow flow(c, {.check_reversal = friction == 0}, {2.5, 0, 0.7, 3, friction, 0.8 * friction});
    NosePoincare explicit_map;
    explicit_map.degrees = 3;
    explicit_map.temperature = 0.7;
    explicit_map.thermostat_mass = 2.5;
    explicit_map.offset = flow.z.reference - 0.35 * flow.z.metric.log_det();  // c log|G| is a constant of the energy
    explicit_map.friction = friction;
    explicit_map.thermostat_friction = 0.8 * friction;
    PhasePoint z(3, 3);
    z.x = flow.z.x;
    z.p = flow.z.p;
    z.u = flow.z.u;
    z.g = flow.z.g;
    Thermostat bath{flow.z.log_s, flow.z.q};
    const ConstantForces forces{*c.target, mass};
    for (int i = 0; i < 20; ++i) {
      flow.travel(0.2, 1);
      ASSERT_TRUE(nose_poincare_step(explicit_map, forces, {0, 3}, 0.2, z, bath));
      Vec expected(8);
      expected << z.x, std::exp(bath.log_s), z.p, bath.q;
      EXPECT_LT(distance(flow, expected), 1e-11) << i;
    }
  }
}

TEST(RiemannianNosePoincare, AHeavyThermostatLeavesTheGeneralizedLeapfrog) {
  for (const test::Curved& c : test::curved_targets()) {
    RiemannianThermostat thermostat = thermostat_of(c, 0, 1);
    thermostat.mass = 1e14;
    Flow flow(c, {}, thermostat);
    flow.place(c.x, 1, c.p, 0);
    flow.z.reference = flow.map.energy(flow.z);
    GeneralizedLeapfrog leapfrog(*c.target, c.geometry(), {});
    RiemannianPoint z(c.x.size(), c.geometry().diagonal());
    z.x = c.x;
    z.p = c.p;
    z.u = potential(*c.target, z.x, z.g);
    ASSERT_EQ(leapfrog.locate(z), StepFailure::none);
    z.metric.solve(z.p, z.v);
    for (int i = 0; i < 10; ++i) {
      flow.travel(0.1, 1);
      ASSERT_EQ(leapfrog.step(0.1, z), StepFailure::none);
    }
    const auto unit = z.metric.root_diagonal().array();
    EXPECT_LT(((flow.z.x - z.x).array() * unit).abs().maxCoeff(), 1e-10 + 10 * c.rounding) << c.name;
    EXPECT_LT(((flow.z.p - z.p).array() / unit).abs().maxCoeff(), 1e-10 + 10 * c.rounding) << c.name;
    EXPECT_LT(std::abs(flow.z.log_s), 1e-10) << c.name;
  }
}

// One to five iterations are not the generalised leapfrog: ten steps there and ten back miss the start by as much.
TEST(RiemannianNosePoincare, AFixedNumberOfIterationsIsNotReversible) {
  for (const test::Curved& c : test::curved_targets()) {
    if (c.around || c.name.find("unconstrained") != std::string::npos) continue;  // almost linear, or rounded
    const auto error = [&](ImplicitSettings settings) {
      Flow flow(c, settings, thermostat_of(c, 1, 1));
      const Vec start = flow.all();
      flow.travel(0.1, 10);
      flow.z.turn();
      flow.travel(0.1, 10);
      flow.z.turn();
      return distance(flow, start);
    };
    const auto few = [&](std::int64_t n) { return error({.method = Method::fixed_point, .fixed_iterations = n}); };
    const double one = few(1), two = few(2), five = few(5), converged = error({});
    EXPECT_GT(one, 1e-3) << c.name;
    EXPECT_LT(two, one) << c.name;
    EXPECT_LT(five, two) << c.name;
    EXPECT_LT(converged, 1e-10) << c.name;
    EXPECT_LT(converged, five) << c.name;
  }
}

// x' = x + e G^-1 p/s knows e/sqrt(k) and p/sqrt(k) alone where the metric is k G.
TEST(ScaledGeometry, IsAnotherStepSize) {
  for (const test::Curved& c : test::curved_targets()) {
    constexpr double k = 0.04;
    test::Curved scaled{c.name, c.target->fork(), nullptr, c.x, std::sqrt(k) * c.p};
    const std::shared_ptr<Geometry> inner =
        c.around ? c.around : std::shared_ptr<Geometry>(std::shared_ptr<void>(), c.target->geometry());
    scaled.around = std::make_shared<ScaledGeometry>(inner, k);
    const auto end = [](const test::Curved& at, double step) {
      GeneralizedLeapfrog map(*at.target, at.geometry(), {});
      RiemannianPoint z(at.x.size(), at.geometry().diagonal());
      z.x = at.x;
      z.p = at.p;
      z.u = potential(*at.target, z.x, z.g);
      EXPECT_EQ(map.locate(z), StepFailure::none);
      z.metric.solve(z.p, z.v);
      for (int i = 0; i < 5; ++i) EXPECT_EQ(map.step(step, z), StepFailure::none);
      return z.x;
    };
    EXPECT_LT((end(c, 0.1) - end(scaled, 0.1 * std::sqrt(k))).cwiseAbs().maxCoeff(), 1e-10 + 10 * c.rounding) << c.name;
    Vec divergence(c.x.size()), expected(c.x.size());
    inner->divergence(c.x, expected);
    scaled.around->divergence(c.x, divergence);
    EXPECT_LT((k * divergence - expected).cwiseAbs().maxCoeff(), 1e-12) << c.name;
  }
}

TEST(RiemannianNosePoincare, SaysWhyAStepFailed) {
  const ImplicitSettings closed{.method = Method::closed_form};
  const test::Curved c = test::positive_parameters();
  struct Row {
    double q, h, exponent;
    ImplicitSettings settings;
    StepFailure expected;
  };
  const Row rows[] = {
      {1, 100, 0, {}, StepFailure::no_root},  // the quadratic of q
      {1, 100, 0, closed, StepFailure::no_root},
      {40, 0, 0, {}, StepFailure::no_root},  // e q/(2Q) > 1: s would change its sign
      {40, 0, 0, closed, StepFailure::no_root},
      {20, 0, 1, closed, StepFailure::no_root},
      {1, 0, 0, {}, StepFailure::none},
      {1, 0, 0, closed, StepFailure::none},
      {1, 0, 1, closed, StepFailure::none},
  };
  for (const Row& row : rows) {
    Flow flow(c, row.settings, thermostat_of(c, row.exponent, 1));
    flow.z.q = row.q;
    flow.z.reference = flow.map.energy(flow.z) - row.h;
    EXPECT_EQ(static_cast<int>(flow.map.step(0.3, flow.z)), static_cast<int>(row.expected)) << &row - rows;
  }
}

}  // namespace
}  // namespace quasar
