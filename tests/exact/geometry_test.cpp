// Metrics of place: their derivatives against differences, where they are positive definite, and SoftAbs itself.
#include <Eigen/Eigenvalues>
#include <Eigen/LU>
#include <gtest/gtest.h>

#include <cmath>

#include "metrics/mass_matrix.hpp"
#include "models/prior_only.hpp"
#include "support/geometries.hpp"
#include "targets/funnel.hpp"

namespace quasar {
namespace {

Mat full(const Geometry& geometry, const Mat& g) { return geometry.diagonal() ? Mat(g.col(0).asDiagonal()) : g; }

Mat metric(Geometry& geometry, const Vec& x) {
  Mat g;
  EXPECT_TRUE(geometry.metric(x, g));
  return full(geometry, g);
}

// Central differences of fourth order.
template <class F>
auto derivative(const Vec& x, Index i, F&& f) {
  constexpr double h = 1e-3;
  const Vec e = h * Vec::Unit(x.size(), i);
  return ((8 * (f(x + e) - f(x - e)) - (f(x + 2 * e) - f(x - 2 * e))) / (12 * h)).eval();
}

std::vector<Mat> differences(Geometry& geometry, const Vec& x) {
  std::vector<Mat> all;
  for (Index i = 0; i < x.size(); ++i)
    all.push_back(derivative(x, i, [&](const Vec& at) { return metric(geometry, at); }));
  return all;
}

double largest(const std::vector<Mat>& all) {
  double size = 0;
  for (const Mat& m : all) size = std::max(size, m.cwiseAbs().maxCoeff());
  return size;
}

constexpr double relative = 1e-7;

TEST(Geometry, DirectionalDerivativesAreThoseOfTheMetric) {
  for (const test::Curved& c : test::curved_targets()) {
    SCOPED_TRACE(c.name);
    const std::vector<Mat> dg = differences(c.geometry(), c.x);
    Mat out;
    c.geometry().directional(c.x, c.p, out);
    ASSERT_EQ(out.rows(), c.x.size());
    EXPECT_EQ(out.cols(), c.name.starts_with("gamma") ? 1 : c.x.size());  // D numbers where they are enough
    const Mat columns = out.cols() == 1 && c.x.size() > 1 ? Mat(out.col(0).asDiagonal()) : out;
    for (Index i = 0; i < c.x.size(); ++i)
      EXPECT_LT((columns.col(i) - dg[static_cast<std::size_t>(i)] * c.p).norm(), relative * largest(dg) * c.p.norm());
  }
}

TEST(Geometry, ContractionsAreThoseOfTheMetric) {
  for (const test::Curved& c : test::curved_targets()) {
    SCOPED_TRACE(c.name);
    const std::vector<Mat> dg = differences(c.geometry(), c.x);
    const Index dim = c.x.size();
    Mat a = c.p * c.p.transpose() + 0.3 * Mat::Identity(dim, dim);
    if (c.geometry().diagonal()) a = a.diagonal().eval();
    Vec out(dim);
    c.geometry().contract(c.x, a, out);
    for (Index i = 0; i < dim; ++i) {
      const double expected = (full(c.geometry(), a) * dg[static_cast<std::size_t>(i)]).trace();
      EXPECT_NEAR(out[i], expected, relative * largest(dg) * a.norm());
    }
  }
}

TEST(Geometry, DivergenceIsThatOfTheInverse) {
  for (const test::Curved& c : test::curved_targets()) {
    SCOPED_TRACE(c.name);
    const auto inverse = [&](const Vec& x) { return Mat(metric(c.geometry(), x).inverse()); };
    Vec expected = Vec::Zero(c.x.size()), out(c.x.size());
    double size = 0;
    for (Index j = 0; j < c.x.size(); ++j) {
      const Mat by_j = derivative(c.x, j, inverse);
      expected += by_j.col(j);
      size = std::max(size, by_j.cwiseAbs().maxCoeff());
    }
    c.geometry().divergence(c.x, out);
    EXPECT_LT((out - expected).norm(), relative * std::max(size, 1.0));
  }
}

// Where U has a Fisher metric that is its Hessian, and in natural coordinates: the observed normal metric, the
// logistic.
TEST(Geometry, ObservedMetricsAreTheHessian) {
  for (const test::Curved& c : test::curved_targets()) {
    if (c.name != "normal, observed, natural" && c.name != "logistic") continue;
    const Mat g = metric(c.geometry(), c.x);
    for (Index i = 0; i < c.x.size(); ++i) {
      const Vec column = derivative(c.x, i, [&](const Vec& x) {
        Vec grad(x.size());
        c.target->logp_grad(x, grad);
        return Vec(-grad);
      });
      EXPECT_LT((g.col(i) - column).norm(), 1e-8 * g.norm()) << c.name;
    }
  }
}

// J'GJ with J = diag(1, tau), and J = diag(theta).
TEST(Geometry, CoordinatesChangeTheMetricAsATensor) {
  for (const bool observed : {false, true}) {
    const Vec natural{{0.9, 1.2}}, free{{0.9, std::log(1.2)}};
    const Mat j = Vec{{1.0, 1.2}}.asDiagonal();
    const Mat g = metric(*test::curved_normal(true, observed)->geometry(), natural);
    EXPECT_LT((metric(*test::curved_normal(false, observed)->geometry(), free) - j * g * j).norm(), 1e-13);
  }
  const Vec theta{{0.7, 2.3}};
  const Mat j = theta.asDiagonal();
  const Mat g = metric(*test::gamma({{"coordinates", "natural"}})->geometry(), theta);
  EXPECT_LT((metric(*test::gamma()->geometry(), theta.array().log()) - j * g * j).norm(), 1e-14);
}

TEST(NormalGeometry, ObservedIsPositiveDefiniteNearTheMeanOnly) {
  for (const bool natural : {true, false}) {
    const auto target = test::curved_normal(true, true);
    const double n = 10, degrees = 2, tau = 1.7, mean = 0.7;
    const double edge = std::sqrt((n + degrees - 2) / (2 * n * tau));
    const auto definite = [&](double shift) {
      Mat g;
      const auto model = test::curved_normal(natural, true);
      const bool said = model->geometry()->metric(Vec{{mean + shift, natural ? tau : std::log(tau)}}, g);
      EXPECT_EQ(said, Eigen::SelfAdjointEigenSolver<Mat>(g).eigenvalues()[0] > 0);
      return said;
    };
    for (const double side : {-1.0, 1.0}) {
      EXPECT_TRUE(definite(side * edge * (1 - 1e-9)));
      EXPECT_FALSE(definite(side * edge * (1 + 1e-9)));
    }
  }
}

TEST(SoftAbs, TakesTheHessiansEigenvaluesThroughSoftAbs) {
  for (const double hardness : {0.5, 3.0, 1e6}) {
    Banana target(1.0, 0.7);
    SoftAbsGeometry geometry(target, hardness);
    for (const Vec& x : {Vec{{0.8, 1.5}}, Vec{{-0.3, -2.0}}, Vec{{0.1, 2.0}}}) {
      // U = x1^2/2 + (x2 - b(x1^2 - 1))^2/2
      const double b = 0.7, r = x[1] - b * (x[0] * x[0] - 1), slope = -2 * b * x[0];
      const Mat hessian{{1 + slope * slope - 2 * b * r, slope}, {slope, 1.0}};
      const Eigen::SelfAdjointEigenSolver<Mat> eigen(hessian);
      const Vec values = eigen.eigenvalues().unaryExpr([&](double l) { return l / std::tanh(hardness * l); });
      const Mat expected = eigen.eigenvectors() * values.asDiagonal() * eigen.eigenvectors().transpose();
      EXPECT_LT((metric(geometry, x) - expected).norm(), relative * expected.norm()) << hardness;
      EXPECT_GT(values.minCoeff(), 0);
    }
  }
}

// U = x^2/2 in three equal directions: equal eigenvalues, where the divided difference becomes a derivative.
TEST(SoftAbs, EqualEigenvaluesAreNoObstacle) {
  struct Round final : Target {
    std::unique_ptr<Target> fork() const override { return std::make_unique<Round>(*this); }
    Index dim() const override { return 3; }
    Eval logp_grad(In x, Out grad) override {  // U = |x|^2/2 + (sum x)^3/6
      grad = -x.array() - 0.5 * x.sum() * x.sum();
      return {-0.5 * x.squaredNorm() - std::pow(x.sum(), 3) / 6};
    }
  } target;
  SoftAbsGeometry geometry(target, 1.0);
  const Vec x = Vec::Zero(3), u{{0.3, -0.2, 0.5}};
  // dH/dx_i is a matrix of ones, and H = I, so dG/dx_i = f'(1) times it.
  const double slope = 1 / std::tanh(1.0) - 1 / (std::sinh(1.0) * std::sinh(1.0));
  Mat out;
  geometry.directional(x, u, out);
  EXPECT_LT((out - Mat::Constant(3, 3, slope * u.sum())).norm(), 1e-6);
}

// The funnel's Hessian has dim - 2 equal eigenvalues e^-v, small and large: any basis of their space has to do.
TEST(SoftAbs, RepeatedEigenvaluesOfAnySizeAreFound) {
  Funnel target(10);
  SoftAbsGeometry geometry(target, 1.0);
  Vec x(10);
  for (std::uint64_t i = 0; i < 500; ++i) {
    target.draw(Rng(6).at(i), x);
    Mat hessian;
    target.second_derivatives(x, hessian);
    const Eigen::SelfAdjointEigenSolver<Mat> eigen(hessian);
    const Vec values = eigen.eigenvalues().unaryExpr([](double l) { return l / std::tanh(l); });
    const Mat expected = eigen.eigenvectors() * values.asDiagonal() * eigen.eigenvectors().transpose();
    ASSERT_LT((metric(geometry, x) - expected).norm(), 1e-12 * expected.norm()) << i;
  }
}

TEST(SoftAbs, CountsItsGradients) {
  test::SkewedTarget target;
  SoftAbsGeometry geometry(target, 1.0);
  Mat g;
  Vec out(3);
  geometry.metric(Vec{{0.1, 0.2, 0.3}}, g);
  EXPECT_EQ(geometry.grad_evals(), 6);
  geometry.contract(Vec{{0.1, 0.2, 0.3}}, g, out);
  geometry.contract(Vec{{0.1, 0.2, 0.3}}, 2 * g, out);  // the derivatives are there already
  EXPECT_EQ(geometry.grad_evals(), 6 + 24);
  EXPECT_EQ(geometry.grad_evals(), target.evaluations);
}

TEST(MassMatrix, FactorisesDiagonalAndDense) {
  for (const test::Curved& c : test::curved_targets()) {
    SCOPED_TRACE(c.name);
    const Index dim = c.x.size();
    const Mat g = metric(c.geometry(), c.x);
    MassMatrix local(dim, c.geometry().diagonal());
    ASSERT_TRUE(local.renew(c.geometry(), c.x));
    EXPECT_NEAR(local.log_det(), std::log(g.determinant()), 1e-11);
    EXPECT_LT((local.root_diagonal() - g.diagonal().cwiseSqrt()).norm(), 1e-12);
    Vec u(dim);
    local.solve(c.p, u);
    EXPECT_LT((g * u - c.p).norm(), 1e-12);
    Mat inverse;
    local.inverse(inverse);
    EXPECT_LT((full(c.geometry(), inverse) * g - Mat::Identity(dim, dim)).norm(), 1e-12);
    Mat columns = g;
    local.solve_columns(columns);
    EXPECT_LT((columns - Mat::Identity(dim, dim)).norm(), 1e-12);
  }
}

// p = L z for the z of the stream: a root of G, so that N(0, G) follows from the normals.
TEST(MassMatrix, DrawsWithARootOfTheMetric) {
  for (const test::Curved& c : test::curved_targets()) {
    const Index dim = c.x.size();
    MassMatrix local(dim, c.geometry().diagonal());
    ASSERT_TRUE(local.renew(c.geometry(), c.x));
    Mat p(dim, dim), z(dim, dim);
    for (Index k = 0; k < dim; ++k) {
      const Rng rng = Rng(8).at(static_cast<std::uint64_t>(k));
      Stream noise = rng.stream("z"), same = rng.stream("z");
      local.draw(noise, p.col(k));
      same.normals(z.col(k));
    }
    const Mat root = p * z.inverse();
    EXPECT_LT((root * root.transpose() - metric(c.geometry(), c.x)).norm(), 1e-9 * p.norm()) << c.name;
  }
}

TEST(PriorOnly, HasNoMetricAndNoHessianOfTheLikelihood) {
  const auto model = test::logistic(test::make_table(20, 2, true));
  EXPECT_NE(model->geometry(), nullptr);
  EXPECT_EQ(without_likelihood(model->fork())->geometry(), nullptr);
  EXPECT_EQ(without_likelihood(model->fork())->hessian(), nullptr);
}

}  // namespace
}  // namespace quasar
