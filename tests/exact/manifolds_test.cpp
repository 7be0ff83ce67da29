// Every manifold against the identities that its maps satisfy, numbers computed elsewhere, slopes, and wrong input.
// One test draws at random: false positives at family_alpha over all manifolds.
#include <Eigen/LU>
#include <Eigen/SVD>
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
#include "support/error_message.hpp"
#include "support/statistics.hpp"

namespace quasar {
namespace {

using test::error_message;

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

struct MaybeWrong final : ManifoldProblem {  // a problem whose parts can be broken one at a time
  MaybeWrong(double gradient_factor, double hessian_factor)
      : gradient_factor_(gradient_factor), hessian_factor_(hessian_factor) {}
  const Manifold& manifold() const override { return *sphere_; }
  double value(MatIn x) override { return 0.5 * x.cwiseProduct(weights_.cwiseProduct(x)).sum(); }
  double gradient(MatIn x, MatOut out) override {
    sphere_->gradient(x, gradient_factor_ * weights_.cwiseProduct(x), out);
    return value(x);
  }
  void hessian(MatIn x, MatIn u, MatOut out) override {
    sphere_->hessian(x, weights_.cwiseProduct(x), hessian_factor_ * weights_.cwiseProduct(u), u, out);
  }

 private:
  ManifoldPtr sphere_ = sphere(4);
  Mat weights_ = Vec{{1, 2, 3, 5}};
  double gradient_factor_, hessian_factor_;
};

TEST(CheckManifold, FindsWhatIsWrong) {
  Stream stream = Rng(10).stream("x");
  const Mat x = sphere(4)->random_point(stream);
  MaybeWrong right(1, 1), wrong_gradient(1.01, 1), wrong_hessian(1, 1.01);
  EXPECT_TRUE(check_gradient(right, x).ok);
  EXPECT_TRUE(check_hessian(right, x).ok);
  const SlopeCheck gradient = check_gradient(wrong_gradient, x), hessian = check_hessian(wrong_hessian, x);
  EXPECT_FALSE(gradient.ok);
  EXPECT_LT(gradient.slope, 1.2);
  EXPECT_NE(gradient.message.find("is wrong"), std::string::npos) << gradient.message;
  EXPECT_FALSE(hessian.ok);
  EXPECT_LT(hessian.slope, 2.2);
}

TEST(CheckManifold, RefusesPointsElsewhere) {
  MaybeWrong problem(1, 1);
  EXPECT_THROW(check_gradient(problem, Mat::Ones(4, 1)), DataError);
  EXPECT_THROW(check_retraction(*sphere(4), Mat::Ones(3, 1)), DataError);
}

TEST(Sphere, HasTheNumbersComputedElsewhere) {
  const ManifoldPtr m = sphere(3);
  const Vec x{{1, 0, 0}}, y{{0.6, 0.8, 0}};
  EXPECT_LT((m->log(x, y) - Vec{{0, 0.9272952180016122, 0}}).norm(), 1e-15);
  EXPECT_LT((m->parallel_transport(x, y, Vec{{0, 1, 1}}) - Vec{{-0.8, 0.6, 1}}).norm(), 1e-15);
}

TEST(Sphere, DistancesAreAccurateAtBothEnds) {
  const ManifoldPtr m = sphere(3);
  const Vec x{{1, 0, 0}};
  for (const double angle : {1e-150, 1e-12, 1e-8, 1e-3, 1.0}) {
    const Vec y{{std::cos(angle), std::sin(angle), 0}}, opposite = -y;
    EXPECT_NEAR(m->distance(x, y) / angle, 1, 1e-15) << angle;
    EXPECT_NEAR(m->log(x, y).norm() / angle, 1, 1e-15) << angle;
    EXPECT_NEAR(m->distance(x, opposite), pi - angle, 1e-15) << angle;
  }
}

TEST(Sphere, RetractionIsOffByAThirdOfTheCube) {
  const ManifoldPtr m = sphere(3);
  const Vec x{{1, 0, 0}}, u{{0, 1e-3, 0}};
  EXPECT_NEAR((m->retract(x, u) - m->exp(x, u)).norm() / 1e-9, 1.0 / 3, 1e-5);
}

struct PositiveDefinitePair {
  Mat a{{2, 1}, {1, 3}}, b{{4, -1}, {-1, 1}}, u{{1, 0}, {0, -1}};
};

Mat symmetric(double first, double across, double last) { return Mat{{first, across}, {across, last}}; }

TEST(Spd, HasTheNumbersComputedElsewhere) {
  const ManifoldPtr m = spd(2);
  const PositiveDefinitePair p;
  EXPECT_NEAR(m->distance(p.a, p.b), 1.948650649755573, 1e-14);
  EXPECT_LT((m->log(p.a, p.b) - symmetric(0.2629030051, -2.7700308558, -4.4414494229)).norm(), 2e-10);
  EXPECT_LT((m->exp(p.a, p.u) - symmetric(3.3619258392, 1.1088328760, 2.1822385408)).norm(), 2e-10);
  EXPECT_LT((m->parallel_transport(p.a, p.b, p.u) - symmetric(2.0946510220, -0.2211241483, -0.2631006813)).norm(),
            2e-10);
  EXPECT_LT((m->transport(p.a, p.b, p.u) - symmetric(2, -0.8872983346, 0.0936491673)).norm(), 2e-10);
  EXPECT_NEAR(m->inner(p.a, p.u, p.u), 0.44, 1e-15);
}

TEST(Spd, CongruencesAndInversionAreIsometries) {
  const ManifoldPtr m = spd(3);
  Stream stream = Rng(11).stream("spd");
  const Mat x = m->random_point(stream), y = m->random_point(stream), c = euclidean(3, 3)->random_point(stream);
  EXPECT_NEAR(m->distance(c * x * c.transpose(), c * y * c.transpose()), m->distance(x, y), 1e-12);
  EXPECT_NEAR(m->distance(x.inverse(), y.inverse()), m->distance(x, y), 1e-12);
}

TEST(SpdLogEuclidean, IsTheOtherMetricWhereMatricesCommute) {
  const Mat x = Vec{{1, 4, 2}}.asDiagonal(), y = Vec{{3, 0.5, 2}}.asDiagonal(), u = Vec{{0.3, -1, 2}}.asDiagonal();
  const ManifoldPtr flat = spd_log_euclidean(3), curved = spd(3);
  EXPECT_NEAR(flat->distance(x, y), curved->distance(x, y), 1e-14);
  EXPECT_LT((flat->log(x, y) - curved->log(x, y)).norm(), 1e-14);
  EXPECT_LT((flat->exp(x, u) - curved->exp(x, u)).norm(), 1e-14);
  EXPECT_LT((flat->parallel_transport(x, y, u) - curved->parallel_transport(x, y, u)).norm(), 1e-14);
}

TEST(Stiefel, GeodesicsStayOrthonormal) {
  const ManifoldPtr m = stiefel(9, 4);
  Stream stream = Rng(12).stream("stiefel");
  const Mat x = m->random_point(stream), u = m->random_tangent(x, stream);
  for (const double length : {0.1, 1.0, 10.0}) {
    const Mat y = m->exp(x, length / u.norm() * u);
    EXPECT_LT((y.transpose() * y - Mat::Identity(4, 4)).norm(), 5e-15) << length;
  }
}

TEST(Stiefel, OfOneColumnIsTheSphereAndOfAllTheRotations) {
  Stream stream = Rng(13).stream("stiefel");
  const ManifoldPtr one = stiefel(6, 1), all = stiefel(4, 4);
  const Mat x = one->random_point(stream), u = one->random_tangent(x, stream);
  EXPECT_LT((one->exp(x, u) - sphere(6)->exp(x, u)).norm(), 1e-14);
  EXPECT_LT((one->retract(x, u) - sphere(6)->retract(x, u)).norm(), 1e-14);
  const Mat r = rotations(4)->random_point(stream), v = rotations(4)->random_tangent(r, stream);
  EXPECT_LT((all->exp(r, v) - rotations(4)->exp(r, v)).norm(), 1e-13);
}

TEST(Grassmann, OfLinesIsHalfTheSphere) {
  Stream stream = Rng(14).stream("grassmann");
  const ManifoldPtr lines = grassmann(5, 1), unit = sphere(5);
  const Mat x = unit->random_point(stream), any = unit->random_point(stream);
  const Mat y = x.cwiseProduct(any).sum() > 0 ? any : Mat(-any), u = unit->random_tangent(x, stream);
  for (const double sign : {1.0, -1.0}) {
    EXPECT_NEAR(lines->distance(x, sign * y), unit->distance(x, y), 1e-14);
    EXPECT_LT((lines->log(x, sign * y) - unit->log(x, y)).norm(), 1e-14);
    const Mat moved = lines->parallel_transport(x, sign * y, u);
    EXPECT_LT((moved - sign * unit->parallel_transport(x, y, u)).norm(), 1e-14);
  }
}

// Edelman, Arias and Smith (1998), theorems 2.3 and 2.4: U = W S Z', thin.
TEST(Grassmann, AgreesWithTheFormulasOfTheThinDecomposition) {
  const ManifoldPtr m = grassmann(8, 3);
  Stream stream = Rng(15).stream("grassmann");
  const Mat x = m->random_point(stream), v = m->random_tangent(x, stream);
  Mat u = m->random_tangent(x, stream);
  u *= 1.3 / u.norm();
  const Eigen::JacobiSVD<Mat> svd(u, Eigen::ComputeThinU | Eigen::ComputeThinV);
  const Mat w = svd.matrixU(), z = svd.matrixV();
  const Vec cosine = svd.singularValues().array().cos(), sine = svd.singularValues().array().sin();
  const Mat y = x * z * cosine.asDiagonal() * z.transpose() + w * sine.asDiagonal() * z.transpose();
  EXPECT_LT((m->exp(x, u) - y).norm(), 1e-14);
  const Mat moved =
      (w * cosine.asDiagonal() - x * z * sine.asDiagonal()) * w.transpose() * v + v - w * w.transpose() * v;
  EXPECT_LT((m->parallel_transport(x, y, v) - moved).norm(), 1e-14);
}

TEST(Grassmann, ResultsFollowTheBasis) {
  const ManifoldPtr m = grassmann(7, 2);
  Stream stream = Rng(16).stream("grassmann");
  const Mat x = m->random_point(stream), y = m->random_point(stream), u = m->random_tangent(x, stream);
  const Mat q = rotations(2)->random_point(stream), r = rotations(2)->random_point(stream);
  EXPECT_NEAR(m->distance(x * q, y * r), m->distance(x, y), 1e-14);
  EXPECT_LT((m->log(x * q, y * r) - m->log(x, y) * q).norm(), 1e-13);
  EXPECT_LT((m->exp(x * q, u * q) - m->exp(x, u) * q).norm(), 1e-13);
  EXPECT_LT((m->parallel_transport(x * q, y * r, u * q) - m->parallel_transport(x, y, u) * r).norm(), 1e-13);
}

TEST(Rotations, OfThePlaneAndOfSpaceHaveTheirAngles) {
  const auto turn = [](double angle) {
    return Mat{{std::cos(angle), -std::sin(angle)}, {std::sin(angle), std::cos(angle)}};
  };
  for (const double angle : {1e-12, 0.3, -2.0, 3.1415}) {
    const Mat u = rotations(2)->log(turn(0.4), turn(0.4 + angle));
    EXPECT_LT((u - turn(0.4) * Mat{{0, -angle}, {angle, 0}}).norm(), 1e-14) << angle;
    EXPECT_NEAR(rotations(2)->distance(turn(0.4), turn(0.4 + angle)), std::sqrt(2.0) * std::abs(angle), 1e-14);
  }
}

TEST(Hyperbolic, MovesAlongTheHyperbola) {
  const ManifoldPtr m = hyperbolic(2);
  const Vec apex{{1, 0, 0}};
  for (const double t : {1e-12, 1e-3, 1.0, 20.0}) {
    const Vec y{{std::cosh(t), std::sinh(t), 0}};
    EXPECT_LT((m->exp(apex, Vec{{0, t, 0}}) - y).norm(), 1e-14 * y.norm());
    EXPECT_NEAR(m->distance(apex, y) / t, 1, 1e-14) << t;
    EXPECT_LT((m->log(apex, y) - Vec{{0, t, 0}}).norm(), 1e-14 * t + 1e-16) << t;  // y_0 is rounded
    EXPECT_LT((m->parallel_transport(apex, y, Vec{{0, 1, 1}}) - Vec{{std::sinh(t), std::cosh(t), 1}}).norm(),
              1e-14 * y.norm());
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

std::string fault_of(const ManifoldPtr& m, const Mat& x) {
  return error_message<DataError>([&] { m->check(x); });
}

TEST(WrongPoints, AreNamed) {
  EXPECT_EQ(fault_of(sphere(3), Vec::Ones(4)), "no point of sphere(3): it is 4 x 1, not 3 x 1");
  EXPECT_EQ(fault_of(sphere(2), Vec{{0, 2}}), "no point of sphere(2): its norm is 2, not 1");
  EXPECT_EQ(fault_of(sphere(2), Vec{{0, nan_value}}), "no point of sphere(2): entry (2, 1) is nan");
  EXPECT_EQ(fault_of(spd(2), Mat{{1, 2}, {2, 1}}),
            "no point of spd(2): it is not positive definite: its smallest eigenvalue is -1");
  EXPECT_EQ(fault_of(spd(2), Mat{{1, 2}, {0, 1}}),
            "no point of spd(2): it is not symmetric: entries across the diagonal differ by 2");
  EXPECT_EQ(fault_of(spd(2), Mat{{1, INFINITY}, {INFINITY, 1}}), "no point of spd(2): entry (2, 1) is inf");
  EXPECT_NE(fault_of(spd(2), Mat::Zero(2, 2)).find("not positive definite"), std::string::npos);
  EXPECT_NE(fault_of(stiefel(3, 2), Mat::Ones(3, 2)).find("not orthonormal"), std::string::npos);
  EXPECT_NE(fault_of(grassmann(3, 2), Mat::Zero(3, 2)).find("not orthonormal"), std::string::npos);
  EXPECT_NE(fault_of(rotations(2), Mat{{1, 0}, {0, -1}}).find("reflection"), std::string::npos);
  EXPECT_NE(fault_of(hyperbolic(1), Vec{{-1, 0}}).find("not positive"), std::string::npos);
  EXPECT_NE(fault_of(hyperbolic(1), Vec{{1, 1}}).find("not -1"), std::string::npos);
  EXPECT_EQ(fault_of(oblique(2, 2), Mat{{1, 1}, {0, 1}}),
            "no point of oblique(2, 2): in part 2, sphere(2): its norm is 1.41421356, not 1");
}

TEST(WrongPoints, StopTheCholeskyFactorization) {
  const ManifoldPtr m = spd(2);
  const Mat right = Mat::Identity(2, 2), indefinite{{1, 2}, {2, 1}}, nan = Mat::Constant(2, 2, nan_value);
  for (const Mat& wrong : {indefinite, nan}) {
    EXPECT_THROW(m->exp(wrong, right), DataError);
    EXPECT_THROW(m->log(wrong, right), DataError);
    EXPECT_THROW(m->log(right, wrong), DataError);
    EXPECT_THROW(m->retract(wrong, right), DataError);
    EXPECT_THROW(m->transport(right, wrong, right), DataError);
    EXPECT_THROW(m->inner(wrong, right, right), DataError);
    EXPECT_THROW(m->distance(right, wrong), DataError);
    EXPECT_THROW(spd_log_euclidean(2)->log(wrong, right), DataError);
  }
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

TEST(WrongVectors, AreNamed) {
  const Vec x{{1, 0}};
  const auto fault = [&](const Mat& u) { return error_message<DataError>([&] { sphere(2)->check_tangent(x, u); }); };
  EXPECT_EQ(fault(Vec{{1, 0}}), "no tangent vector of sphere(2): it points 1 out of the tangent space");
  EXPECT_EQ(fault(Vec{{0, nan_value}}), "no tangent vector of sphere(2): it has entries that are not finite");
  EXPECT_EQ(fault(Vec::Zero(3)), "no tangent vector of sphere(2): it is 3 x 1, not 2 x 1");
}

TEST(OppositePoints, HaveNoShortestGeodesic) {
  const Vec x{{0.6, 0.8, 0}}, opposite = -x;
  EXPECT_NE(error_message<DataError>([&] { sphere(3)->log(x, opposite); }).find("antipodal"), std::string::npos);
  EXPECT_THROW(sphere(3)->parallel_transport(x, opposite, Vec{{0, 0, 1}}), DataError);
  const Mat half_turn = Vec{{-1, -1, 1}}.asDiagonal();
  EXPECT_NE(error_message<DataError>([&] { rotations(3)->log(Mat::Identity(3, 3), half_turn); }).find("half a turn"),
            std::string::npos);
  EXPECT_THROW(grassmann(2, 1)->log(Vec{{1, 0}}, Vec{{0, 1}}), DataError);
  EXPECT_NEAR(grassmann(2, 1)->distance(Vec{{1, 0}}, Vec{{0, 1}}), pi / 2, 1e-15);
}

TEST(ClosedForms, ThatDoNotExistAreRefused) {
  const ManifoldPtr m = stiefel(4, 2);
  const Mat x = Mat::Identity(4, 2);
  EXPECT_FALSE(m->has().log || m->has().parallel || m->has().isometric);
  EXPECT_NE(error_message<UsageError>([&] { m->log(x, x); }).find("no closed form of log"), std::string::npos);
  EXPECT_THROW(m->parallel_transport(x, x, x), UsageError);
  EXPECT_THROW(m->distance(x, x), UsageError);
  EXPECT_FALSE(product({sphere(3), m})->has().log);
  EXPECT_TRUE(product({sphere(3), spd(2)})->has().log);
}

TEST(WrongSizes, AreRefused) {
  EXPECT_THROW(euclidean(0), UsageError);
  EXPECT_THROW(sphere(1), UsageError);
  EXPECT_THROW(oblique(1, 2), UsageError);
  EXPECT_THROW(spd(0), UsageError);
  EXPECT_THROW(spd_log_euclidean(-1), UsageError);
  EXPECT_THROW(stiefel(2, 3), UsageError);
  EXPECT_THROW(grassmann(3, 3), UsageError);
  EXPECT_THROW(rotations(1), UsageError);
  EXPECT_THROW(hyperbolic(0), UsageError);
  EXPECT_THROW(power(sphere(2), 0), UsageError);
  EXPECT_THROW(product({}), UsageError);
}

}  // namespace
}  // namespace quasar
