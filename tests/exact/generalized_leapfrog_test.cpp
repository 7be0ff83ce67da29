// The generalised leapfrog itself, without statistics: reversal, volume, symplecticity, order, closed form, failures.
#include "integrators/generalized_leapfrog.hpp"

#include <Eigen/LU>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "integrators/potential.hpp"
#include "support/geometries.hpp"

namespace quasar {
namespace {

using Method = ImplicitSettings::Method;

struct Flow {
  GeneralizedLeapfrog map;
  RiemannianPoint z;

  Flow(const test::Curved& c, ImplicitSettings settings)
      : map(*c.target, c.geometry(), settings), z(c.x.size(), c.geometry().diagonal()) {
    z.u = potential(*c.target, c.x, z.g);
    set(*c.target, c.x, c.p);
  }
  void set(Target& target, const Vec& x, const Vec& p) {
    z.x = x;
    z.p = p;
    z.u = potential(target, x, z.g);
    ASSERT_EQ(map.locate(z), StepFailure::none);
    z.metric.solve(z.p, z.v);
  }
  void travel(double size, int steps) {
    for (int i = 0; i < steps; ++i) ASSERT_EQ(map.step(size, z), StepFailure::none) << i;
  }
  void turn() {
    z.p = -z.p;
    z.v = -z.v;
  }
};

// In natural units of the place.
double distance(const RiemannianPoint& z, const Vec& x, const Vec& p) {
  const auto unit = z.metric.root_diagonal().array();
  return std::max(((z.x - x).array() * unit).abs().maxCoeff(), ((z.p - p).array() / unit).abs().maxCoeff());
}

void with_each_solver(const std::function<void(const test::Curved&, ImplicitSettings, const std::string&)>& f) {
  for (const test::Curved& c : test::curved_targets()) {
    for (const Method method : {Method::newton, Method::fixed_point}) {
      const std::string name = c.name + (method == Method::newton ? ", newton" : ", fixed point");
      SCOPED_TRACE(name);
      f(c, {.method = method}, name);
    }
  }
}

TEST(GeneralizedLeapfrog, ComesBackWhenReversed) {
  with_each_solver([](const test::Curved& c, ImplicitSettings settings, const std::string& name) {
    for (const int steps : {1, 5, 12}) {
      Flow flow(c, settings);
      flow.travel(0.1, steps);
      EXPECT_GT(distance(flow.z, c.x, c.p), 0.05) << name;
      flow.turn();
      flow.travel(0.1, steps);
      flow.turn();
      const double allowed = (settings.newton() ? 1e-10 : 1e-8) + steps * c.rounding;
      EXPECT_LT(distance(flow.z, c.x, c.p), allowed) << name << ", " << steps;
    }
  });
}

TEST(GeneralizedLeapfrog, EnergyErrorFallsAsTheSquareOfTheStep) {
  with_each_solver([](const test::Curved& c, ImplicitSettings settings, const std::string& name) {
    const auto worst = [&](int steps) {
      Flow flow(c, settings);
      const double before = flow.map.energy(flow.z);
      double error = 0;
      for (int i = 0; i < steps; ++i) {
        flow.travel(1.0 / steps, 1);
        error = std::max(error, std::abs(flow.map.energy(flow.z) - before));
      }
      return error;
    };
    EXPECT_NEAR(worst(80) / worst(160), 4, 0.1) << name;
  });
}

// The Jacobian of two steps in (x, p), by differences of step h in natural units.
Mat jacobian(const test::Curved& c, double h_natural) {
  Flow flow(c, {});
  const Index d = c.x.size();
  Vec unit(2 * d);
  unit << flow.z.metric.root_diagonal().cwiseInverse(), flow.z.metric.root_diagonal();
  const auto end = [&](const Vec& shift) {
    flow.set(*c.target, c.x + shift.head(d), c.p + shift.tail(d));
    flow.travel(0.2, 2);
    Vec out(2 * d);
    out << flow.z.x, flow.z.p;
    return out;
  };
  Mat j(2 * d, 2 * d);
  for (Index i = 0; i < 2 * d; ++i) {
    const double h = h_natural * unit[i];
    const Vec e = h * Vec::Unit(2 * d, i);
    j.col(i) = (8 * (end(e) - end(-e)) - (end(2 * e) - end(-2 * e))) / (12 * h);
  }
  return unit.cwiseInverse().asDiagonal() * j * unit.asDiagonal();
}

TEST(GeneralizedLeapfrog, IsSymplecticAndPreservesVolume) {
  for (const test::Curved& c : test::curved_targets()) {
    const Index d = c.x.size();
    Mat omega = Mat::Zero(2 * d, 2 * d);
    omega.topRightCorner(d, d).setIdentity();
    omega.bottomLeftCorner(d, d) = -Mat::Identity(d, d);
    const double h = c.rounding > 0 ? 1e-2 : 1e-4, allowed = 1e-7 + c.rounding / h;
    const Mat j = jacobian(c, h);
    EXPECT_NEAR(j.determinant(), 1, allowed) << c.name;
    EXPECT_LT((j.transpose() * omega * j - omega).cwiseAbs().maxCoeff(), allowed) << c.name;
  }
}

TEST(GeneralizedLeapfrog, SolversAgree) {
  for (const test::Curved& c : test::curved_targets()) {
    Flow newton(c, {.method = Method::newton}), plain(c, {.method = Method::fixed_point});
    newton.travel(0.1, 10);
    plain.travel(0.1, 10);
    EXPECT_LT(distance(newton.z, plain.z.x, plain.z.p), 1e-8 + 10 * c.rounding) << c.name;
    EXPECT_LE(newton.map.iterations(), plain.map.iterations()) << c.name;
  }
}

// For G = diag(1/theta) both implicit equations are quadratics in one unknown each.
TEST(GeneralizedLeapfrog, FollowsTheClosedFormOfPositiveParameters) {
  const double e = 0.15;
  const test::Curved c = std::move(test::curved_targets()[0]);
  ASSERT_EQ(c.name, "gamma, natural");
  Eigen::ArrayXd theta = c.x, p = c.p;
  const Eigen::ArrayXd shape{{2.0, 5.0}}, rate{{1.0, 2.0}};
  const auto slope = [&] { return Eigen::ArrayXd((shape - 1) / theta - rate + 1 / (2 * theta)); };
  Flow newton(c, {.method = Method::newton}), plain(c, {.method = Method::fixed_point});
  for (int i = 0; i < 20; ++i) {
    const Eigen::ArrayXd k = p + e / 2 * slope();
    const Eigen::ArrayXd half = 2 * k / (1 + (1 + e * k).sqrt());
    theta *= (1 + e * half / 2) / (1 - e * half / 2);
    p = half + e / 2 * (slope() - half.square() / 2);
    newton.travel(e, 1);
    plain.travel(e, 1);
    EXPECT_LT(distance(newton.z, theta, p), 1e-12) << i;
    EXPECT_LT(distance(plain.z, theta, p), 1e-9) << i;
  }
}

TEST(GeneralizedLeapfrog, AFixedNumberOfIterationsIsNotReversible) {
  for (const test::Curved& c : test::curved_targets()) {
    if (c.name == "gamma, unconstrained") continue;
    Flow flow(c, {.method = Method::fixed_point, .fixed_iterations = 1});
    flow.travel(0.1, 10);
    flow.turn();
    flow.travel(0.1, 10);
    flow.turn();
    EXPECT_GT(distance(flow.z, c.x, c.p), 1e-4) << c.name;
    EXPECT_EQ(flow.map.iterations(), 40) << c.name;
  }
}

TEST(GeneralizedLeapfrog, SaysWhyAStepFailed) {
  const ImplicitSettings newton, plain{.method = Method::fixed_point};
  struct Row {
    const char* name;
    double momentum, size;  // times the momentum of the list
    ImplicitSettings settings;
    StepFailure expected;
  };
  const Row rows[] = {
      {"gamma, natural", 8, 0.2, plain, StepFailure::iteration_cap},
      {"normal, expected, natural", -1, 2, newton, StepFailure::outside_support},
      {"normal, observed, natural", 8, 2, newton, StepFailure::not_positive_definite},
      {"gamma, natural", 8, 2, plain, StepFailure::not_finite},
      {"logistic", -1, 1.6, newton, StepFailure::not_reversible},
      {"logistic", -1, 1.6, {.check_reversal = false}, StepFailure::none},
      {"gamma, natural", 1, 0.1, newton, StepFailure::none},
  };
  for (const Row& row : rows) {
    for (test::Curved& c : test::curved_targets()) {
      if (c.name != row.name) continue;
      c.p *= row.momentum;
      Flow flow(c, row.settings);
      EXPECT_EQ(static_cast<int>(flow.map.step(row.size, flow.z)), static_cast<int>(row.expected)) << c.name;
    }
  }
}

TEST(GeneralizedLeapfrog, CountsItsGradients) {
  for (const test::Curved& c : test::curved_targets()) {
    const auto* counted = dynamic_cast<const test::SkewedTarget*>(c.target.get());
    if (counted == nullptr) continue;
    Flow flow(c, {});
    const std::int64_t before = flow.map.grad_evals(), seen = counted->evaluations;
    flow.travel(0.1, 3);
    EXPECT_EQ(flow.map.grad_evals() - before, counted->evaluations - seen);
    EXPECT_GT(flow.map.grad_evals() - before, 3);
  }
}

}  // namespace
}  // namespace quasar
