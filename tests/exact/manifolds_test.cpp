// Every manifold against the identities that its maps satisfy, and slopes.
// One test draws at random: false positives at family_alpha over all manifolds.
#include <Eigen/LU>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <string>
#include <vector>

#include <quasar/check_manifold.hpp>
#include <quasar/errors.hpp>
#include <quasar/manifolds.hpp>

#include "support/allocations.hpp"
#include "support/statistics.hpp"

namespace quasar {
namespace {

constexpr double pi = std::numbers::pi;
constexpr double nan_value = std::numeric_limits<double>::quiet_NaN();

struct Case {
  ManifoldPtr manifold;
  double reach;           // tangent vectors up to this long lead to one point each
  double tolerance;       // of the identities
  double condition = 0;   // points are drawn with this condition number, where positive
  bool subspace = false;  // points are subspaces: bases of one are equal
  double retraction_slope = 3;
};

std::vector<Case> cases() {
  return {
      {euclidean(3, 2), 3, 2e-15, 0, false, nan_value},
      {sphere(7), 0.9 * pi, 2e-14},
      {sphere(3, 2), 0.9 * pi, 2e-14},
      {oblique(5, 3), 0.9 * pi, 2e-14},
      {spd(5), 3, 2e-11, 100},
      {spd_log_euclidean(5), 3, 2e-11, 100, false, nan_value},
      {stiefel(7, 3), 3, 2e-14},
      {stiefel(4, 4), 3, 2e-14},
      {grassmann(8, 3), 1.4, 5e-14, 0, true},
      {rotations(2), 4, 3e-14},
      {rotations(5), 3.9, 3e-14},
      {hyperbolic(4), 3, 2e-12, 0, false, nan_value},
      {power(spd(3), 2), 3, 2e-13},
      {product({sphere(4), spd(3), rotations(3), hyperbolic(2)}), 2.5, 2e-12},
      {product({stiefel(4, 2), euclidean(2, 3)}), 3, 2e-14},
  };
}

// Eigenvalues log-uniform between 1 and the condition number, both ends taken.
Mat positive_definite(Index n, double condition, Stream& stream) {
  Vec values(n);
  stream.uniforms(values);
  values = (std::log(condition) * values.array()).exp();
  values[0] = 1;
  values[n - 1] = condition;
  const Mat q = rotations(n)->random_point(stream);
  const Mat x = q * values.asDiagonal() * q.transpose();
  return 0.5 * (x + x.transpose());
}

Mat draw_point(const Case& c, Stream& stream) {
  if (c.condition > 0) return positive_definite(c.manifold->shape().rows, c.condition, stream);
  return c.manifold->random_point(stream);
}

Mat draw_tangent(const Case& c, MatIn x, Stream& stream) {
  const Mat u = c.manifold->random_tangent(x, stream);
  return u * (c.reach * stream.uniform() / c.manifold->norm(x, u));
}

struct Drawn {
  Mat x, y, to_y, u, v;  // y = exp(x, to_y); u, v tangent at x
};

template <class Test>
void at_random_places(Test test, int places = 20) {
  for (const Case& c : cases()) {
    SCOPED_TRACE(c.manifold->name());
    Stream stream = Rng(1).stream(c.manifold->name());
    for (int k = 0; k < places; ++k) {
      const Mat x = draw_point(c, stream), to_y = draw_tangent(c, x, stream);
      test(c, Drawn{x, c.manifold->exp(x, to_y), to_y, draw_tangent(c, x, stream), draw_tangent(c, x, stream)});
      if (testing::Test::HasFailure()) return;
    }
  }
}

double difference(const Case& c, MatIn a, MatIn b) {
  return c.subspace ? (a * a.transpose() - b * b.transpose()).norm() : (a - b).norm();
}

double outside(const Manifold& m, MatIn x, MatIn u) { return (m.project(x, u) - u).norm(); }

TEST(Manifolds, DrawPointsAndTangentVectorsOfTheirOwn) {
  at_random_places([](const Case& c, const Drawn& d) {
    const Manifold& m = *c.manifold;
    EXPECT_EQ(m.fault(d.x), "");
    EXPECT_EQ(m.fault(d.y), "");
    EXPECT_EQ(m.fault(m.retract(d.x, d.u)), "");
    EXPECT_NO_THROW(m.check_tangent(d.x, d.u));
    EXPECT_LT(outside(m, d.x, d.u), c.tolerance * (1 + d.u.norm()));
  });
}

TEST(Manifolds, ExpAndLogAreInverse) {
  at_random_places([](const Case& c, const Drawn& d) {
    if (!c.manifold->has().log) return;
    const Mat found = c.manifold->log(d.x, d.y);
    EXPECT_LT((found - d.to_y).norm(), c.tolerance * (1 + d.to_y.norm()));
    EXPECT_LT(difference(c, c.manifold->exp(d.x, found), d.y), c.tolerance * (1 + d.y.norm()));
  });
}

TEST(Manifolds, LogReachesPointsDrawnIndependently) {
  for (const Case& c : cases()) {
    if (!c.manifold->has().log) continue;
    SCOPED_TRACE(c.manifold->name());
    Stream stream = Rng(2).stream(c.manifold->name());
    for (int k = 0; k < 20; ++k) {
      const Mat x = draw_point(c, stream), y = draw_point(c, stream);
      const Mat u = c.manifold->log(x, y);
      EXPECT_LT(difference(c, c.manifold->exp(x, u), y), c.tolerance * (1 + y.norm()));
      EXPECT_NEAR(c.manifold->norm(x, u), c.manifold->distance(x, y), c.tolerance);
    }
  }
}

TEST(Manifolds, DistanceIsTheLengthOfLogAndSymmetric) {
  at_random_places([](const Case& c, const Drawn& d) {
    const Manifold& m = *c.manifold;
    if (!m.has().log) return;
    EXPECT_NEAR(m.distance(d.x, d.y), m.norm(d.x, d.to_y), c.tolerance);
    EXPECT_NEAR(m.distance(d.x, d.y), m.distance(d.y, d.x), c.tolerance);
    EXPECT_NEAR(m.norm(d.x, m.log(d.x, d.y)), m.distance(d.x, d.y), c.tolerance);
  });
}

TEST(Manifolds, ParallelTransportIsAnIsometryWithAnInverse) {
  at_random_places([](const Case& c, const Drawn& d) {
    const Manifold& m = *c.manifold;
    if (!m.has().parallel) return;
    const Mat u = m.parallel_transport(d.x, d.y, d.u), v = m.parallel_transport(d.x, d.y, d.v);
    const double size = 1 + m.norm(d.x, d.u) * m.norm(d.x, d.v);
    EXPECT_NEAR(m.inner(d.y, u, v), m.inner(d.x, d.u, d.v), c.tolerance * size);
    EXPECT_LT(outside(m, d.y, u), c.tolerance * (1 + u.norm()));
    EXPECT_LT((m.parallel_transport(d.y, d.x, u) - d.u).norm(), c.tolerance * (1 + d.u.norm() + u.norm()));
    const Mat turned = m.parallel_transport(d.x, d.y, m.log(d.x, d.y)), back = m.log(d.y, d.x);
    EXPECT_LT((turned + back).norm(), c.tolerance * (1 + back.norm()));
  });
}

TEST(Manifolds, GeodesicsGoStraightOn) {
  at_random_places([](const Case& c, const Drawn& d) {
    const Manifold& m = *c.manifold;
    if (!m.has().parallel) return;
    const Mat half = 0.5 * d.to_y, middle = m.exp(d.x, half);
    const Mat end = m.exp(middle, m.parallel_transport(d.x, middle, half));
    EXPECT_LT((end - d.y).norm(), c.tolerance * (1 + d.y.norm()));
  });
}

TEST(Manifolds, CheapTransportIsTangentAndIsometricWhereItSaysSo) {
  at_random_places([](const Case& c, const Drawn& d) {
    const Manifold& m = *c.manifold;
    const Mat u = m.transport(d.x, d.y, d.u), v = m.transport(d.x, d.y, d.v);
    EXPECT_LT(outside(m, d.y, u), c.tolerance * (1 + u.norm()));
    EXPECT_LT((m.transport(d.x, d.x, d.u) - d.u).norm(), c.tolerance * (1 + d.u.norm()));
    if (!m.has().isometric) return;
    const double size = 1 + m.norm(d.x, d.u) * m.norm(d.x, d.v);
    EXPECT_NEAR(m.inner(d.y, u, v), m.inner(d.x, d.u, d.v), c.tolerance * size);
  });
}

// The largest errors of an implementation in another language; ten times as much is allowed here.
struct Identities {
  double exp_log = 0, log_exp = 0, isometry = 0, tangent = 0, there_and_back = 0, turned_log = 0, distance = 0;
};

void expect_no_more(const Identities& found, const Identities& measured) {
  EXPECT_LT(found.exp_log, 10 * measured.exp_log);
  EXPECT_LT(found.log_exp, 10 * measured.log_exp);
  EXPECT_LT(found.isometry, 10 * measured.isometry);
  EXPECT_LT(found.tangent, 10 * measured.tangent);
  EXPECT_LT(found.there_and_back, 10 * measured.there_and_back);
  EXPECT_LT(found.turned_log, 10 * measured.turned_log);
  EXPECT_LT(found.distance, 10 * measured.distance);
}

Identities largest_errors(const Case& c) {
  const Manifold& m = *c.manifold;
  Stream stream = Rng(17).stream(m.name());
  Identities largest;
  const auto keep = [](double& most, double error) { most = std::max(most, error); };
  for (int k = 0; k < 100; ++k) {
    const Mat x = draw_point(c, stream), to_y = draw_tangent(c, x, stream);
    const Mat y = c.condition > 0 ? draw_point(c, stream) : m.exp(x, to_y), log = m.log(x, y);
    const Mat u = m.random_tangent(x, stream) / std::sqrt(static_cast<double>(m.dim()));
    const Mat v = m.random_tangent(x, stream) / std::sqrt(static_cast<double>(m.dim()));
    const Mat moved = m.parallel_transport(x, y, u);
    keep(largest.exp_log, difference(c, m.exp(x, log), y));
    keep(largest.log_exp, (m.log(x, m.exp(x, to_y)) - to_y).norm() / std::max(1.0, x.norm()));
    keep(largest.isometry, std::abs(m.inner(y, moved, m.parallel_transport(x, y, v)) - m.inner(x, u, v)));
    keep(largest.tangent, outside(m, y, moved));
    keep(largest.there_and_back, (m.parallel_transport(y, x, moved) - u).norm() / std::max(1.0, u.norm()));
    keep(largest.turned_log, (m.parallel_transport(x, y, log) + m.log(y, x)).norm());
    keep(largest.distance, std::abs(m.norm(x, log) - m.distance(x, y)));
  }
  return largest;
}

TEST(Manifolds, IdentitiesHoldAsWellAsElsewhere) {
  expect_no_more(largest_errors({sphere(7), 0.9 * pi, 0}), {7e-16, 9e-16, 2e-15, 3e-15, 5e-15, 4e-15, 2e-15});
  expect_no_more(largest_errors({spd(5), 3, 0, 100}), {1e-12, 3e-13, 1e-14, 1e-16, 2e-13, 9e-12, 2e-13});
  expect_no_more(largest_errors({grassmann(8, 3), 1.4, 0, 0, true}), {4e-15, 4e-15, 1e-14, 2e-15, 1e-14, 1e-14, 4e-15});
}

// The covariant derivative is the projected derivative where the metric is that of the space around.
std::vector<ManifoldPtr> embedded() { return {sphere(7), oblique(5, 3), grassmann(8, 3), rotations(5), hyperbolic(4)}; }

TEST(Manifolds, ParallelTransportTurnsNothing) {
  for (const ManifoldPtr& m : embedded()) {
    Stream stream = Rng(3).stream(m->name());
    const Mat x = m->random_point(stream), u = m->random_tangent(x, stream), v = m->random_tangent(x, stream);
    const double h = 1e-4;
    const Mat ahead = m->parallel_transport(x, m->exp(x, h * u), v),
              behind = m->parallel_transport(x, m->exp(x, -h * u), v);
    EXPECT_LT(m->project(x, (ahead - behind) / (2 * h)).norm(), 1e-6 * u.norm() * v.norm()) << m->name();
  }
}

// On positive definite matrices the covariant derivative of V along U is DV[U] - sym(U X^-1 V).
TEST(Manifolds, ParallelTransportOfPositiveDefiniteMatricesTurnsNothing) {
  const ManifoldPtr m = spd(4);
  Stream stream = Rng(3).stream("spd");
  const Mat x = m->random_point(stream), u = m->random_tangent(x, stream), v = m->random_tangent(x, stream);
  const double h = 1e-4;
  const Mat ahead = m->parallel_transport(x, m->exp(x, h * u), v),
            behind = m->parallel_transport(x, m->exp(x, -h * u), v);
  const Mat bent = u * x.inverse() * v;
  EXPECT_LT(((ahead - behind) / (2 * h) - 0.5 * (bent + bent.transpose())).norm(), 1e-6 * u.norm() * v.norm());
}

TEST(Manifolds, GeodesicsAccelerateOutOfTheTangentSpaceOnly) {
  std::vector<ManifoldPtr> all = embedded();
  all.push_back(stiefel(7, 3));
  for (const ManifoldPtr& m : all) {
    Stream stream = Rng(4).stream(m->name());
    const Mat x = m->random_point(stream), u = m->random_tangent(x, stream);
    const double h = 1e-3;
    const Mat acceleration = (m->exp(x, h * u) - 2 * x + m->exp(x, -h * u)) / (h * h);
    EXPECT_GT(acceleration.norm(), 0.1) << m->name();
    EXPECT_LT(m->project(x, acceleration).norm(), 1e-5 * acceleration.norm()) << m->name();
  }
}

TEST(Manifolds, NothingMovesWithoutAVector) {
  at_random_places(
      [](const Case& c, const Drawn& d) {
        const Manifold& m = *c.manifold;
        for (const double length : {0.0, 1e-310, 1e-200}) {
          const Mat tiny = d.u * length;
          EXPECT_LT((m.exp(d.x, tiny) - d.x).norm(), c.tolerance * d.x.norm()) << length;
          EXPECT_LT((m.retract(d.x, tiny) - d.x).norm(), c.tolerance * d.x.norm()) << length;
        }
        if (!m.has().log) return;
        EXPECT_LT(m.log(d.x, d.x).norm(), c.tolerance * d.x.norm());
        EXPECT_LT((m.parallel_transport(d.x, d.x, d.u) - d.u).norm(), c.tolerance * (1 + d.u.norm()));
      },
      3);
}

TEST(Manifolds, ResultsMayTakeThePlaceOfArguments) {
  at_random_places(
      [](const Case& c, const Drawn& d) {
        const Manifold& m = *c.manifold;
        const auto same = [&](const Mat& expected, auto call, std::vector<const Mat*> arguments) {
          for (const Mat* argument : arguments) {
            Mat place = *argument;
            call(argument, place);
            EXPECT_EQ(place, expected);
          }
        };
        const auto pick = [](const Mat& original, const Mat* replaced, Mat& place) -> const Mat& {
          return replaced == &original ? place : original;
        };
        same(m.exp(d.x, d.u), [&](const Mat* r, Mat& o) { m.exp(pick(d.x, r, o), pick(d.u, r, o), o); }, {&d.x, &d.u});
        same(m.retract(d.x, d.u), [&](const Mat* r, Mat& o) { m.retract(pick(d.x, r, o), pick(d.u, r, o), o); },
             {&d.x, &d.u});
        same(m.project(d.x, d.y), [&](const Mat* r, Mat& o) { m.project(pick(d.x, r, o), pick(d.y, r, o), o); },
             {&d.x, &d.y});
        same(m.gradient(d.x, d.y), [&](const Mat* r, Mat& o) { m.gradient(pick(d.x, r, o), pick(d.y, r, o), o); },
             {&d.x, &d.y});
        same(m.hessian(d.x, d.y, d.v, d.u),
             [&](const Mat* r, Mat& o) {
               m.hessian(pick(d.x, r, o), pick(d.y, r, o), pick(d.v, r, o), pick(d.u, r, o), o);
             },
             {&d.x, &d.y, &d.v, &d.u});
        same(m.transport(d.x, d.y, d.u),
             [&](const Mat* r, Mat& o) { m.transport(pick(d.x, r, o), pick(d.y, r, o), pick(d.u, r, o), o); },
             {&d.x, &d.y, &d.u});
        if (!m.has().log) return;
        same(m.log(d.x, d.y), [&](const Mat* r, Mat& o) { m.log(pick(d.x, r, o), pick(d.y, r, o), o); }, {&d.x, &d.y});
        same(m.parallel_transport(d.x, d.y, d.u),
             [&](const Mat* r, Mat& o) { m.parallel_transport(pick(d.x, r, o), pick(d.y, r, o), pick(d.u, r, o), o); },
             {&d.x, &d.y, &d.u});
      },
      1);
}

TEST(Manifolds, OfVectorsAllocateNothing) {
  for (const ManifoldPtr& m : {euclidean(6), sphere(6), hyperbolic(5)}) {
    Stream stream = Rng(5).stream(m->name());
    const Mat x = m->random_point(stream), u = m->random_tangent(x, stream);
    Mat y = x, out = u;
    const long before = test::allocation_count;
    m->exp(x, u, y);
    m->log(x, y, out);
    m->retract(x, u, y);
    m->gradient(x, u, out);
    m->hessian(x, u, u, u, out);
    m->transport(x, y, u, out);
    const double sum = m->distance(x, y) + m->inner(x, u, u) + m->norm(x, u);
    EXPECT_EQ(test::allocation_count, before) << m->name() << sum;
  }
}

// |u|^2 of standard normal vectors is chi-square with dim degrees of freedom.
TEST(Manifolds, RandomTangentVectorsAreStandardNormal) {
  const auto all = cases();
  const double alpha = test::per_assertion(test::family_alpha, 2 * static_cast<int>(all.size()));
  for (const Case& c : all) {
    Stream stream = Rng(6).stream(c.manifold->name());
    const Mat x = draw_point(c, stream);
    constexpr int draws = 500;
    double sum = 0;
    for (int k = 0; k < draws; ++k) {
      const Mat u = c.manifold->random_tangent(x, stream);
      sum += c.manifold->inner(x, u, u);
    }
    const double p = test::chi_square_p_value(sum, static_cast<double>(draws * c.manifold->dim()));
    EXPECT_GT(p, alpha) << c.manifold->name();
    EXPECT_LT(p, 1 - alpha) << c.manifold->name();
  }
}

// sum c x + d x^2 / 2, or tr(X'BX) / 2 for subspaces, whose cost must not depend on the basis.
AmbientCost smooth_cost(const Case& c, Stream& stream) {
  const auto [rows, cols] = c.manifold->shape();
  const ManifoldPtr matrices = euclidean(rows, cols);
  const Mat linear = matrices->random_point(stream), square = matrices->random_point(stream);
  if (c.subspace) {
    const Mat any = euclidean(rows, rows)->random_point(stream), b = any + any.transpose();
    return {[b](MatIn x) { return 0.5 * x.cwiseProduct(b * x).sum(); }, [b](MatIn x, MatOut g) { g = b * x; },
            [b](MatIn, MatIn u, MatOut h) { h = b * u; }};
  }
  return {[=](MatIn x) { return (linear.array() * x.array() + 0.5 * square.array() * x.array().square()).sum(); },
          [=](MatIn x, MatOut g) { g = linear + square.cwiseProduct(x); },
          [=](MatIn, MatIn u, MatOut h) { h = square.cwiseProduct(u); }};
}

TEST(Manifolds, GradientsAreThoseOfTheCost) {
  for (const Case& c : cases()) {
    SCOPED_TRACE(c.manifold->name());
    const Manifold& m = *c.manifold;
    Stream stream = Rng(7).stream(m.name());
    const auto problem = make_problem(c.manifold, smooth_cost(c, stream));
    const Mat x = m.random_point(stream), u = m.random_tangent(x, stream) / std::sqrt(static_cast<double>(m.dim()));
    const SlopeCheck check = check_gradient(*problem, x);
    EXPECT_TRUE(check.ok) << check.message;
    EXPECT_NEAR(check.slope, 2, 0.05);
    Mat gradient(x.rows(), x.cols());
    problem->gradient(x, gradient);
    const double h = 1e-5;
    const double difference = (problem->value(m.exp(x, h * u)) - problem->value(m.exp(x, -h * u))) / (2 * h);
    EXPECT_NEAR(m.inner(x, gradient, u), difference, 1e-8 * (1 + std::abs(difference)));
  }
}

TEST(Manifolds, HessiansAreThoseOfTheCost) {
  for (const Case& c : cases()) {
    SCOPED_TRACE(c.manifold->name());
    const Manifold& m = *c.manifold;
    Stream stream = Rng(8).stream(m.name());
    AmbientCost cost = smooth_cost(c, stream);
    const auto problem = make_problem(c.manifold, cost);
    cost.second = nullptr;
    const auto by_differences = make_problem(c.manifold, cost);
    const Mat x = m.random_point(stream), u = m.random_tangent(x, stream);
    const SlopeCheck check = check_hessian(*problem, x);
    EXPECT_TRUE(check.ok) << check.message;
    if (m.name() == "euclidean(3, 2)") {
      EXPECT_TRUE(std::isnan(check.slope)) << check.message;  // the cost is its own Taylor polynomial
    } else {
      EXPECT_NEAR(check.slope, 3, 0.1) << check.message;
    }
    Mat exact(x.rows(), x.cols()), approximate(x.rows(), x.cols());
    problem->hessian(x, u, exact);
    by_differences->hessian(x, u, approximate);
    EXPECT_LT((exact - approximate).norm(), 1e-5 * (1 + exact.norm()));
  }
}

TEST(Manifolds, RetractionsAreOfSecondOrder) {
  for (const Case& c : cases()) {
    Stream stream = Rng(9).stream(c.manifold->name());
    const SlopeCheck check = check_retraction(*c.manifold, c.manifold->random_point(stream));
    EXPECT_TRUE(check.ok) << c.manifold->name() << ": " << check.message;
    if (std::isnan(c.retraction_slope)) {
      EXPECT_TRUE(std::isnan(check.slope)) << c.manifold->name() << ": " << check.message;
      EXPECT_TRUE(c.manifold->has().exact_retract);
    } else {
      EXPECT_NEAR(check.slope, c.retraction_slope, 0.05) << c.manifold->name() << ": " << check.message;
    }
  }
}

TEST(Manifolds, KnowTheirDimensions) {
  EXPECT_EQ(euclidean(3, 2)->dim(), 6);
  EXPECT_EQ(sphere(7)->dim(), 6);
  EXPECT_EQ(oblique(5, 3)->dim(), 12);
  EXPECT_EQ(spd(5)->dim(), 15);
  EXPECT_EQ(stiefel(7, 3)->dim(), 15);
  EXPECT_EQ(grassmann(8, 3)->dim(), 15);
  EXPECT_EQ(rotations(5)->dim(), 10);
  EXPECT_EQ(hyperbolic(4)->dim(), 4);
  EXPECT_EQ(power(spd(3), 2)->dim(), 12);
  EXPECT_EQ(product({sphere(4), spd(3)})->dim(), 9);
  EXPECT_EQ(product({sphere(4), spd(3)})->shape(), (Manifold::Shape{13, 1}));
  EXPECT_EQ(power(spd(3), 2)->shape(), (Manifold::Shape{3, 6}));
  EXPECT_EQ(product({sphere(4), spd(3)})->name(), "product(sphere(4), spd(3))");
}

TEST(WrongVectors, HaveNoLength) {
  for (const Case& c : cases()) {
    const auto [rows, cols] = c.manifold->shape();
    Stream stream = Rng(18).stream(c.manifold->name());
    const Mat x = c.manifold->random_point(stream);
    EXPECT_TRUE(std::isnan(c.manifold->norm(x, Mat::Constant(rows, cols, nan_value)))) << c.manifold->name();
  }
  EXPECT_TRUE(std::isnan(hyperbolic(1)->distance(Vec{{1, 0}}, Vec{{nan_value, 0}})));
}

}  // namespace
}  // namespace quasar
