// Every transform: the inverse, the Jacobian against a numeric determinant and by integration, the pull-back by the
// slope of the error, saturation without NaN.
#include <Eigen/LU>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <numbers>
#include <numeric>

#include <quasar/check_gradient.hpp>
#include <quasar/errors.hpp>
#include <quasar/rng.hpp>
#include <quasar/transforms.hpp>

#include "transforms/scalar_functions.hpp"

namespace quasar {
namespace {

using namespace transform;

// The coordinates of y that x determines one to one; by default all.
std::vector<Index> first(Index n) {
  std::vector<Index> ids(static_cast<std::size_t>(n));
  std::iota(ids.begin(), ids.end(), Index{0});
  return ids;
}

struct AboveCase {
  static HalfLine make() { return HalfLine::above(-1.5, 3); }
  static std::vector<Index> free() { return first(3); }
};
struct BelowCase {
  static HalfLine make() { return HalfLine::below(2.5, 3); }
  static std::vector<Index> free() { return first(3); }
};
struct BoundedCase {
  static Bounded make() { return {-1, 4, 3}; }
  static std::vector<Index> free() { return first(3); }
};
struct SimplexCase {
  static Simplex make() { return Simplex(5); }
  static std::vector<Index> free() { return first(4); }
};
struct OrderedCase {
  static Ordered make() { return Ordered(4); }
  static std::vector<Index> free() { return first(4); }
};
struct CholeskyCase {
  static CholeskyCorrelation make() { return CholeskyCorrelation(4); }
  static std::vector<Index> free() { return {4, 8, 9, 12, 13, 14}; }  // below the diagonal, row by row
};

Vec random_vector(Index n, std::uint64_t seed, double scale) {
  Vec v(n);
  Rng(seed).stream("test").normals(v);
  return scale * v;
}

// A density of y with curvature in every direction, seen from x.
template <class T>
struct Pulled final : Target {
  explicit Pulled(T t) : transform(t), y(t.size_constrained()), grad_y(t.size_constrained()) {}
  std::unique_ptr<Target> fork() const override { return std::make_unique<Pulled>(*this); }
  Index dim() const override { return transform.size_unconstrained(); }
  Eval logp_grad(In x, Out grad) override {
    const double log_jacobian = transform.forward(x, y);
    const Vec weights = Vec::LinSpaced(y.size(), 0.5, 2);
    grad_y = -weights.array() * y.array().sin();
    grad.setZero();
    transform.pull_back(x, y, grad_y, grad);
    return {(weights.array() * y.array().cos()).sum() + log_jacobian};
  }
  T transform;
  Vec y, grad_y;
};

template <class Case>
class EveryTransform : public testing::Test {
 protected:
  using T = decltype(Case::make());
  const T transform = Case::make();
  const Index n = transform.size_unconstrained(), m = transform.size_constrained();
};
using Cases = testing::Types<AboveCase, BelowCase, BoundedCase, SimplexCase, OrderedCase, CholeskyCase>;
TYPED_TEST_SUITE(EveryTransform, Cases);

TYPED_TEST(EveryTransform, HasTheCommonShape) { static_assert(Transform<typename TestFixture::T>); }

TYPED_TEST(EveryTransform, InverseUndoesForward) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const Vec x = random_vector(this->n, seed, 1.5);
    Vec y(this->m), back(this->n);
    this->transform.forward(x, y);
    this->transform.inverse(y, back);
    EXPECT_LT((back - x).template lpNorm<Eigen::Infinity>(), 1e-9) << "seed " << seed;
  }
}

TYPED_TEST(EveryTransform, JacobianEqualsNumericDeterminant) {
  const auto free = TypeParam::free();
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    const Vec x = random_vector(this->n, seed, 1.0);
    Vec y(this->m), right(this->m), left(this->m);
    Mat jacobian(this->n, this->n);
    for (Index j = 0; j < this->n; ++j) {
      const double h = 1e-5;
      Vec moved = x;
      moved[j] = x[j] + h;
      this->transform.forward(moved, right);
      moved[j] = x[j] - h;
      this->transform.forward(moved, left);
      for (Index i = 0; i < this->n; ++i) {
        const Index at = free[static_cast<std::size_t>(i)];
        jacobian(i, j) = (right[at] - left[at]) / (2 * h);
      }
    }
    EXPECT_NEAR(this->transform.forward(x, y), std::log(std::fabs(jacobian.determinant())), 1e-7) << "seed " << seed;
  }
}

TYPED_TEST(EveryTransform, PullBackIsTheGradient) {
  Pulled<typename TestFixture::T> target(this->transform);
  const GradientCheck check = check_gradient_at_random(target, Rng(3), 20);
  EXPECT_TRUE(check.ok) << check.message;
}

TYPED_TEST(EveryTransform, PullBackAdds) {
  const Vec x = random_vector(this->n, 5, 1.0), grad_y = random_vector(this->m, 6, 1.0);
  Vec y(this->m), once = Vec::Zero(this->n), twice = Vec::Constant(this->n, 10);
  this->transform.forward(x, y);
  this->transform.pull_back(x, y, grad_y, once);
  this->transform.pull_back(x, y, grad_y, twice);
  EXPECT_LT((twice.array() - 10 - once.array()).abs().maxCoeff(), 1e-13);
}

TYPED_TEST(EveryTransform, SaturatesWithoutNaN) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    const Vec x = random_vector(this->n, seed, 1.0).unaryExpr([](double v) { return std::copysign(700.0, v); });
    const Vec grad_y = random_vector(this->m, seed + 100, 1.0);
    Vec y(this->m), grad_x = Vec::Zero(this->n);
    const double log_jacobian = this->transform.forward(x, y);
    this->transform.pull_back(x, y, grad_y, grad_x);
    EXPECT_TRUE(std::isfinite(log_jacobian) && y.allFinite() && grad_x.allFinite()) << "seed " << seed;
  }
}

TYPED_TEST(EveryTransform, InverseRefusesWhatLiesOutside) {
  if constexpr (std::is_same_v<TypeParam, OrderedCase>) return;  // below: a constant vector is inside a cone's boundary
  Vec x(this->n);
  for (const double value : {-100.0, 100.0, std::nan("")}) {
    if (std::is_same_v<TypeParam, AboveCase> && value == 100) continue;
    if (std::is_same_v<TypeParam, BelowCase> && value == -100) continue;
    EXPECT_THROW(this->transform.inverse(Vec::Constant(this->m, value), x), UsageError) << value;
  }
}

TEST(Transforms, OrderedRefusesEqualAndDecreasing) {
  Vec x(2);
  EXPECT_THROW(Ordered(2).inverse(Vec{{1.0, 1.0}}, x), UsageError);
  EXPECT_THROW(Ordered(2).inverse(Vec{{1.0, 0.0}}, x), UsageError);
}

TEST(Transforms, SimplexRefusesAWrongSum) {
  Vec x(2);
  EXPECT_THROW(Simplex(3).inverse(Vec{{0.2, 0.3, 0.4}}, x), UsageError);
  EXPECT_THROW(Simplex(3).inverse(Vec{{0.5, 0.5, 0.0}}, x), UsageError);
}

TEST(Transforms, CholeskyRefusesEntriesAboveTheDiagonal) {
  Vec x(1);
  EXPECT_THROW(CholeskyCorrelation(2).inverse(Vec{{0.6, 0.8, 0.6, 0.8}}, x), UsageError);
  EXPECT_NO_THROW(CholeskyCorrelation(2).inverse(Vec{{1.0, 0.0, 0.6, 0.8}}, x));
}

TEST(Transforms, RefuseImpossibleSets) {
  EXPECT_THROW(Bounded(1, 1), UsageError);
  EXPECT_THROW(Simplex(1), UsageError);
  EXPECT_THROW(Ordered(0), UsageError);
  EXPECT_THROW(CholeskyCorrelation(0), UsageError);
}

TEST(Transforms, ZeroIsTheCentre) {
  Vec y(5);
  Simplex(5).forward(Vec::Zero(4), y);
  EXPECT_LT((y.array() - 0.2).abs().maxCoeff(), 1e-15);
  Vec l(9);
  CholeskyCorrelation(3).forward(Vec::Zero(3), l);
  EXPECT_EQ(l, (Vec{{1, 0, 0, 0, 1, 0, 0, 0, 1}}));
}

TEST(Transforms, BoundedKeepsRelativePrecisionNextToABoundAtZero) {
  Vec y(1);
  Bounded(0, 1).forward(Vec{{-40.0}}, y);
  EXPECT_NEAR(y[0] / std::exp(-40.0), 1, 1e-15);
  Bounded(-1, 0).forward(Vec{{40.0}}, y);
  EXPECT_NEAR(y[0] / -std::exp(-40.0), 1, 1e-15);
}

TEST(Transforms, SetsAreKept) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    Vec y(6);
    Simplex(6).forward(random_vector(5, seed, 3.0), y);
    EXPECT_GT(y.minCoeff(), 0);
    EXPECT_NEAR(y.sum(), 1, 1e-14);
    Vec l(16);
    CholeskyCorrelation(4).forward(random_vector(6, seed, 3.0), l);
    for (Index i = 0; i < 4; ++i) EXPECT_NEAR(l.segment(4 * i, 4).norm(), 1, 1e-14);
  }
}

constexpr double truncation = 1e-8;  // a bound of what the box below leaves out

// The integral of exp(log f(y(x)) + log |J|) over the box |x_i| < 24, by the trapezoidal rule. For an integrand
// analytic in a strip of half-width a the error of step h falls like e^(-2 pi a / h); outside the box it is at most
// e^-24.
template <class T>
double integral(const T& transform, const std::function<double(In)>& log_f, double h = 0.3) {
  const long half = std::lround(24 / h), side = 2 * half + 1;
  const Index n = transform.size_unconstrained();
  Vec x(n), y(transform.size_constrained());
  const long cells = std::lround(std::pow(side, n));
  double sum = 0;
  for (long cell = 0; cell < cells; ++cell) {
    long rest = cell;
    for (Index i = 0; i < n; ++i, rest /= side) x[i] = h * static_cast<double>(rest % side - half);
    const double log_jacobian = transform.forward(x, y);
    sum += std::exp(log_f(y) + log_jacobian);
  }
  return sum * std::pow(h, n);
}

TEST(TransformVolumes, HalfLine) {
  const auto exponential = [](In y) { return -(y[0] - 1); };
  EXPECT_NEAR(integral(HalfLine::above(1), exponential), 1, truncation);
  const auto mirrored = [](In y) { return y[0] - 1; };
  EXPECT_NEAR(integral(HalfLine::below(1), mirrored), 1, truncation);
}

TEST(TransformVolumes, Interval) {
  EXPECT_NEAR(integral(Bounded(-1, 4), [](In) { return 0.0; }), 5, truncation);
  EXPECT_NEAR(integral(Bounded(0, 3, 2), [](In) { return 0.0; }), 9, truncation);
}

TEST(TransformVolumes, Simplex) {  // 1 / (k - 1)!
  EXPECT_NEAR(integral(Simplex(2), [](In) { return 0.0; }), 1, truncation);
  EXPECT_NEAR(integral(Simplex(3), [](In) { return 0.0; }), 1.0 / 2, truncation);
  EXPECT_NEAR(integral(Simplex(4), [](In) { return 0.0; }), 1.0 / 6, truncation);
}

TEST(TransformVolumes, OrderedIsOneOfTheOrders) {  // two normal numbers are in order with probability 1/2
  const auto two_normals = [](In y) { return -0.5 * y.squaredNorm() - std::log(2 * std::numbers::pi); };
  EXPECT_NEAR(integral(Ordered(2), two_normals, 0.1), 0.5, truncation);
}

// The correlation matrices of order 2 and 3 have volume 2 and pi^2/2; d(L L')/dL contributes L_22 in order 3.
TEST(TransformVolumes, CorrelationMatrices) {
  EXPECT_NEAR(integral(CholeskyCorrelation(2), [](In) { return 0.0; }), 2, truncation);
  const auto to_matrix = [](In l) { return std::log(std::fmax(l[4], 1e-300)); };
  EXPECT_NEAR(integral(CholeskyCorrelation(3), to_matrix), std::numbers::pi * std::numbers::pi / 2, truncation);
}

TEST(IntoSupport, MovesEachCoordinateIntoItsInterval) {
  constexpr double inf = std::numeric_limits<double>::infinity();
  const Interval support[] = {{-inf, inf}, {2, inf}, {-inf, 2}, {2, 3}};
  Vec x = Vec::Constant(4, 0.5);
  into_support(support, x);
  EXPECT_EQ(x[0], 0.5);
  EXPECT_DOUBLE_EQ(x[1], 2 + std::exp(0.5));
  EXPECT_DOUBLE_EQ(x[2], 2 - std::exp(0.5));
  EXPECT_DOUBLE_EQ(x[3], 2 + 1 / (1 + std::exp(-0.5)));
  Vec unchanged = Vec::Constant(4, 0.5);
  into_support({}, unchanged);
  EXPECT_EQ(unchanged, Vec::Constant(4, 0.5));
}

TEST(ScalarFunctions, AgreeWithTheirDefinitionsAndSaturate) {
  for (const double x : {-30.0, -2.0, -0.1, 0.0, 0.1, 2.0, 30.0}) {
    EXPECT_NEAR(softplus(x), std::log1p(std::exp(x)), 1e-14 * (1 + std::fabs(x)));
    EXPECT_NEAR(sigmoid(x), 1 / (1 + std::exp(-x)), 1e-15);
    EXPECT_NEAR(log_sigmoid(x), -std::log1p(std::exp(-x)), 1e-14 * (1 + std::fabs(x)));
    EXPECT_NEAR(sech(x), 1 / std::cosh(x), 1e-15);
    EXPECT_NEAR(log_sech(x), -std::log(std::cosh(x)), 1e-13);
  }
  EXPECT_EQ(softplus(1e5), 1e5);
  EXPECT_EQ(softplus(-1e5), 0);
  EXPECT_EQ(sigmoid(1e5), 1);
  EXPECT_EQ(sigmoid(-1e5), 0);
  EXPECT_EQ(sech(1e5), 0);
  EXPECT_DOUBLE_EQ(log_sech(-1e5), std::log(2.0) - 1e5);
}

}  // namespace
}  // namespace quasar
