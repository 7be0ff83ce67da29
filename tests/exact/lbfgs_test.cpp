// L-BFGS: one matrix H seen as products, solves and draws, against the recursions written out as dense matrices.
#include "metrics/lbfgs.hpp"

#include <Eigen/Dense>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include <quasar/fields.hpp>

#include "metrics/bfgs.hpp"
#include "support/allocations.hpp"
#include "support/statistics.hpp"

namespace quasar {
namespace {

static_assert(Preconditioner<Lbfgs>);

constexpr double rounding = 1e-12;  // relative; the matrices below have condition numbers up to about 1e3

struct Pairs {
  std::vector<Vec> s, y;
  void add(const Vec& new_s, const Vec& new_y) {
    s.push_back(new_s);
    y.push_back(new_y);
  }
  std::size_t size() const { return s.size(); }
};

// H and B = H^-1 by the recursions in their dense form, and the square factors of both.
struct DenseRecursion {
  Mat h, b, root, inverse_root;  // h = root root', b = inverse_root inverse_root', inverse_root = root^-T

  DenseRecursion(const Vec& h0, const Pairs& pairs)
      : h(h0.asDiagonal()),
        b(h0.cwiseInverse().asDiagonal()),
        root(h0.cwiseSqrt().asDiagonal()),
        inverse_root(h0.cwiseSqrt().cwiseInverse().asDiagonal()) {
    for (std::size_t j = 0; j < pairs.size(); ++j) add(pairs.s[j], pairs.y[j]);
  }
  void add(const Vec& s, const Vec& y) {
    const double sy = s.dot(y), sbs = s.dot(b * s), c = std::sqrt(sy / sbs);
    const Vec bs = b * s;
    const Mat eye = Mat::Identity(s.size(), s.size());
    root = (eye - s / sy * (y - c * bs).transpose()) * root;
    inverse_root = (eye - (bs - y / c) * s.transpose() / sbs) * inverse_root;
    const Mat v = eye - y * s.transpose() / sy;
    h = v.transpose() * h * v + s * s.transpose() / sy;
    b += y * y.transpose() / sy - bs * bs.transpose() / sbs;
  }
};

template <class Map>
Mat matrix_of(Index dim, Map map) {
  Mat m(dim, dim);
  for (Index i = 0; i < dim; ++i) map(Vec::Unit(dim, i), m.col(i));
  return m;
}
Mat product_matrix(const Lbfgs& h, Index dim) {
  return matrix_of(dim, [&](In v, Out out) { h.apply(v, out); });
}
Mat solve_matrix(const Lbfgs& h, Index dim) {
  return matrix_of(dim, [&](In v, Out out) { h.solve(v, out); });
}

// A draw is linear in its normals (z, zeta); as many streams as normals give the map.
template <class Draw>
Mat draw_map(Index dim, Index pairs, Draw draw) {
  const Index n = dim + pairs;
  Mat normals(n, n), drawn(dim, n);
  for (Index i = 0; i < n; ++i) {
    const Rng rng = Rng(11).at(static_cast<std::uint64_t>(i));
    Stream a = rng.stream("z"), b = rng.stream("z");
    a.normals(normals.col(i).head(dim));
    a.normals(normals.col(i).tail(pairs));
    draw(b, drawn.col(i));
  }
  return drawn * normals.inverse();
}

double relative(const Mat& found, const Mat& expected) { return (found - expected).norm() / expected.norm(); }

struct Case {
  Vec h0;
  Pairs pairs;
  Index dim() const { return h0.size(); }
  Lbfgs operator_with(Index memory) const {
    Lbfgs h(dim(), memory);
    h.set_initial(h0);
    for (std::size_t j = 0; j < pairs.size(); ++j) EXPECT_TRUE(h.add_pair(pairs.s[j], pairs.y[j]));
    return h;
  }
  Lbfgs full() const { return operator_with(static_cast<Index>(pairs.size())); }
};

// Steps in random directions; y = A s + noise with A = diag(1 .. 30), so that the pairs do not agree on one Hessian.
Case random_case(Index dim, int pairs, std::uint64_t seed) {
  Stream stream = Rng(seed).stream("case");
  Case c{Vec(dim), {}};
  stream.normals(c.h0);
  c.h0 = c.h0.array().exp();
  const Vec curvature = Vec::LinSpaced(dim, 1, 30);
  for (int j = 0; j < pairs; ++j) {
    Vec s(dim), noise(dim);
    stream.normals(s);
    stream.normals(noise);
    c.pairs.add(s, curvature.cwiseProduct(s) + 0.3 * noise);
  }
  return c;
}

class PaperExample : public testing::Test {
 protected:
  PaperExample() : h(2, 2) { h.set_initial_scale(0.5); }
  void add_first() { ASSERT_TRUE(h.add_pair(Vec{{1, 2}}, Vec{{3, 1}})); }
  void add_second() { ASSERT_TRUE(h.add_pair(Vec{{-1, 1}}, Vec{{-0.5, 2}})); }
  Lbfgs h;
};

TEST_F(PaperExample, MatrixAfterEachPair) {
  add_first();
  EXPECT_LT((h.inverse_metric(2) - Mat{{0.3, 0.1}, {0.1, 1.7}}).norm(), 1e-14);
  add_second();
  EXPECT_LT((h.inverse_metric(2) - Mat{{1.808, -0.048}, {-0.048, 0.488}}).norm(), 1e-14);
  Vec out(2);
  h.apply(Vec{{1, -1}}, out);
  EXPECT_LT((out - Vec{{1.856, -0.536}}).norm(), 1e-14);
}

TEST_F(PaperExample, Draw) {
  add_first();
  add_second();
  const Mat map = draw_map(2, 2, [&](Stream& r, Out out) { h.draw(r, out); });
  EXPECT_LT((map * Vec{{1, -1, 0.5, -2}} - Vec{{1.12274487, -1.30045261}}).norm(), 1e-8);
}

TEST_F(PaperExample, SquareFactorOfTheTestsOwnRecursion) {
  Pairs first;
  first.add(Vec{{1, 2}}, Vec{{3, 1}});
  const DenseRecursion dense(Vec::Constant(2, 0.5), first);
  EXPECT_LT((dense.root - Mat{{0.4828427125, 0.2585786438}, {-0.4485281374, 1.2242640687}}).norm(), 1e-9);
}

class RandomPairs : public testing::TestWithParam<std::pair<Index, int>> {
 protected:
  const Case c = random_case(GetParam().first, GetParam().second, 7);
  const DenseRecursion dense{c.h0, c.pairs};
  const Lbfgs h = c.full();
};

TEST_P(RandomPairs, TheRecursionsAgree) {
  EXPECT_LT(relative(dense.root * dense.root.transpose(), dense.h), rounding);
  EXPECT_LT(relative(dense.inverse_root * dense.inverse_root.transpose(), dense.b), rounding);
  EXPECT_LT(relative(dense.inverse_root.transpose() * dense.root, Mat::Identity(c.dim(), c.dim())), rounding);
}

TEST_P(RandomPairs, ProductAndSolve) {
  EXPECT_LT(relative(product_matrix(h, c.dim()), dense.h), rounding);
  EXPECT_LT(relative(solve_matrix(h, c.dim()), dense.b), rounding);
  EXPECT_EQ(h.inverse_metric(c.dim()), product_matrix(h, c.dim()));
}

TEST_P(RandomPairs, SolveUndoesProduct) {
  const Vec v = Vec::LinSpaced(c.dim(), -1, 2);
  Vec hv(c.dim()), back(c.dim());
  h.apply(v, hv);
  h.solve(hv, back);
  EXPECT_LT(relative(back, v), rounding);
}

TEST_P(RandomPairs, DrawsHaveTheCovariance) {
  const Mat w = draw_map(c.dim(), h.pairs(), [&](Stream& r, Out out) { h.draw(r, out); });
  EXPECT_LT(relative(w * w.transpose(), dense.h), rounding * 10);  // the map is found by inverting the normals
  const Mat inverse = draw_map(c.dim(), h.pairs(), [&](Stream& r, Out out) { h.draw_inverse(r, out); });
  EXPECT_LT(relative(inverse * inverse.transpose(), dense.b), rounding * 10);
}

// eta <- eta - s (y'eta) / (s'y) + s zeta / sqrt(s'y), and its counterpart for H^-1, on the very normals of the stream.
TEST_P(RandomPairs, DrawsUseTheirNormalsOldestPairFirst) {
  Stream normals = Rng(4).stream("draw"), r = normals;
  Vec z(c.dim()), zeta(h.pairs());
  normals.normals(z);
  normals.normals(zeta);
  Vec eta = c.h0.cwiseSqrt().cwiseProduct(z), inverse = z.cwiseQuotient(c.h0.cwiseSqrt());
  DenseRecursion before(c.h0, {});
  for (std::size_t j = 0; j < c.pairs.size(); ++j) {
    const Vec &s = c.pairs.s[j], &y = c.pairs.y[j];
    const double sy = s.dot(y), normal = zeta[static_cast<Index>(j)];
    eta += s * (normal / std::sqrt(sy) - y.dot(eta) / sy);
    const Vec bs = before.b * s;
    inverse += y * normal / std::sqrt(sy) - bs * (s.dot(inverse) / s.dot(bs));
    before.add(s, y);
  }
  Vec drawn(c.dim());
  h.draw(r, drawn);
  EXPECT_LT(relative(drawn, eta), rounding);
  r = Rng(4).stream("draw");
  h.draw_inverse(r, drawn);
  EXPECT_LT(relative(drawn, inverse), rounding);
}

// The pairs in coordinates x / sqrt(h0) see a start from the identity.
TEST_P(RandomPairs, ADiagonalStartIsAScalingOfCoordinates) {
  const Vec root = c.h0.cwiseSqrt();
  Case scaled{Vec::Ones(c.dim()), {}};
  for (std::size_t j = 0; j < c.pairs.size(); ++j) {
    scaled.pairs.add(c.pairs.s[j].cwiseQuotient(root), c.pairs.y[j].cwiseProduct(root));
  }
  const Mat expected = root.asDiagonal() * product_matrix(scaled.full(), c.dim()) * root.asDiagonal();
  EXPECT_LT(relative(product_matrix(h, c.dim()), expected), rounding);
}

TEST_P(RandomPairs, NewestPairIsReproduced) {
  if (c.pairs.size() == 0) return;
  Vec out(c.dim());
  h.apply(c.pairs.y.back(), out);
  EXPECT_LT(relative(out, c.pairs.s.back()), rounding);
  EXPECT_NEAR(h.newest_scale(), c.pairs.s.back().dot(c.pairs.y.back()) / c.pairs.y.back().squaredNorm(), 1e-16);
}

// The start may change at any time: the pairs are kept.
TEST_P(RandomPairs, AnotherStart) {
  Lbfgs changed = c.full();
  const Vec other = c.h0.array().square() + 0.1;
  changed.set_initial(other);
  EXPECT_LT(relative(product_matrix(changed, c.dim()), DenseRecursion(other, c.pairs).h), rounding);
  for (const double scale : {0.3, 4.0}) {
    changed.set_initial_scale(scale);
    const DenseRecursion expected(Vec::Constant(c.dim(), scale), c.pairs);
    EXPECT_LT(relative(product_matrix(changed, c.dim()), expected.h), rounding);
    EXPECT_LT(relative(solve_matrix(changed, c.dim()), expected.b), rounding);
  }
}

TEST_P(RandomPairs, SavedAndLoaded) {
  Case more = c;
  const Case extra = random_case(c.dim(), 3, 8);
  for (int j = 0; j < 3; ++j) more.pairs.add(extra.pairs.s[j], extra.pairs.y[j]);
  const Lbfgs original = more.operator_with(5);
  Writer writer;
  writer("h", original);
  Lbfgs copy(c.dim(), 5);
  Reader reader(writer.bytes());
  reader("h", copy);
  EXPECT_EQ(copy.pairs(), original.pairs());
  EXPECT_EQ(copy.newest_scale(), original.newest_scale());
  EXPECT_EQ(product_matrix(copy, c.dim()), product_matrix(original, c.dim()));
  EXPECT_EQ(solve_matrix(copy, c.dim()), solve_matrix(original, c.dim()));
}

// dimension and number of pairs, which may be the greater one
INSTANTIATE_TEST_SUITE_P(Sizes, RandomPairs,
                         testing::Values(std::pair{6, 0}, std::pair{1, 1}, std::pair{6, 1}, std::pair{11, 4},
                                         std::pair{3, 8}, std::pair{40, 7}));

// More rows than one block of the sweeps, against the usual two loops.
TEST(Lbfgs, LongVectors) {
  const Index dim = 20'000;
  const Case c = random_case(dim, 5, 9);
  Vec q = Vec::LinSpaced(dim, -1, 1), found(dim), a(5);
  c.full().apply(q, found);
  for (int j = 4; j >= 0; --j) {
    a[j] = c.pairs.s[j].dot(q) / c.pairs.s[j].dot(c.pairs.y[j]);
    q -= a[j] * c.pairs.y[j];
  }
  q.array() *= c.h0.array();
  for (int j = 0; j < 5; ++j) q += c.pairs.s[j] * (a[j] - c.pairs.y[j].dot(q) / c.pairs.s[j].dot(c.pairs.y[j]));
  EXPECT_LT(relative(found, q), rounding);
  Vec back(dim);
  c.full().solve(found, back);
  EXPECT_LT(relative(back, Vec::LinSpaced(dim, -1, 1)), rounding);
}

// Dot products in place of the two loops lose no digits to the condition number: against the loops in long double, the
// error stays below what m sums of m rounded products can leave.
TEST(Lbfgs, ManyPairsOfAnIllConditionedQuadratic) {
  using LongVec = Eigen::Matrix<long double, Eigen::Dynamic, 1>;
  const auto two_loops = [](const Pairs& pairs, LongVec q) {
    std::vector<LongVec> s, y;
    for (const Vec& v : pairs.s) s.emplace_back(v.cast<long double>());
    for (const Vec& v : pairs.y) y.emplace_back(v.cast<long double>());
    std::vector<long double> a(s.size());
    for (std::size_t j = s.size(); j-- > 0;) {
      a[j] = s[j].dot(q) / s[j].dot(y[j]);
      q -= a[j] * y[j];
    }
    for (std::size_t j = 0; j < s.size(); ++j) q += s[j] * (a[j] - y[j].dot(q) / s[j].dot(y[j]));
    return q;
  };
  const Index dim = 30;
  const Vec v = Vec::LinSpaced(dim, -1, 2);
  Stream stream = Rng(2).stream("steps");
  for (const double condition : {1e4, 1e6}) {
    const Vec curvature = Vec::LinSpaced(dim, 0, std::log(condition)).array().exp();
    for (const int m : {20, 50}) {
      Case c{Vec::Ones(dim), {}};
      for (int j = 0; j < m; ++j) {
        Vec s(dim);
        stream.normals(s);
        c.pairs.add(s, curvature.cwiseProduct(s));
      }
      Vec found(dim);
      c.full().apply(v, found);
      const Vec expected = two_loops(c.pairs, v.cast<long double>()).cast<double>();
      EXPECT_LT(relative(found, expected), m * m * std::numeric_limits<double>::epsilon());
    }
  }
}

// Pairs of one quadratic along conjugate directions are all reproduced, not the newest alone.
TEST(Lbfgs, ConjugatePairsAreAllReproduced) {
  const Vec curvature{{1, 3, 10, 0.2}};
  Lbfgs h(4, 3);
  for (Index j = 0; j < 3; ++j) ASSERT_TRUE(h.add_pair(Vec::Unit(4, j), curvature[j] * Vec::Unit(4, j)));
  Vec out(4);
  for (Index j = 0; j < 3; ++j) {
    h.apply(curvature[j] * Vec::Unit(4, j), out);
    EXPECT_LT((out - Vec::Unit(4, j)).norm(), 1e-14);
  }
}

TEST(Lbfgs, TheOldestPairFallsOut) {
  const Case c = random_case(6, 8, 3);
  const Index memory = 3;
  Lbfgs ring(6, memory);
  ring.set_initial(c.h0);
  for (std::size_t j = 0; j < c.pairs.size(); ++j) {
    ASSERT_TRUE(ring.add_pair(c.pairs.s[j], c.pairs.y[j]));
    Pairs newest;
    for (std::size_t k = j + 1 >= 3 ? j - 2 : 0; k <= j; ++k) newest.add(c.pairs.s[k], c.pairs.y[k]);
    const DenseRecursion expected(c.h0, newest);
    ASSERT_EQ(ring.pairs(), static_cast<Index>(newest.size()));
    EXPECT_LT(relative(product_matrix(ring, 6), expected.h), rounding);
    EXPECT_LT(relative(solve_matrix(ring, 6), expected.b), rounding);
  }
  ring.set_initial_scale(2);  // with the ring turned
  Pairs newest;
  for (std::size_t k = 5; k < 8; ++k) newest.add(c.pairs.s[k], c.pairs.y[k]);
  EXPECT_LT(relative(product_matrix(ring, 6), DenseRecursion(Vec::Constant(6, 2), newest).h), rounding);
}

TEST(Lbfgs, ClearKeepsTheStart) {
  const Case c = random_case(4, 7, 3);
  Lbfgs h = c.operator_with(3);
  h.clear();
  EXPECT_EQ(h.pairs(), 0);
  EXPECT_EQ(h.newest_scale(), 1);
  EXPECT_LT(relative(product_matrix(h, 4), c.h0.asDiagonal()), 1e-15);
  ASSERT_TRUE(h.add_pair(c.pairs.s[0], c.pairs.y[0]));
  Pairs first;
  first.add(c.pairs.s[0], c.pairs.y[0]);
  EXPECT_LT(relative(product_matrix(h, 4), DenseRecursion(c.h0, first).h), rounding);
}

TEST(Lbfgs, TheGuardRefusesPairsWithoutCurvature) {
  const double nan = std::nan("");
  const Vec s{{1, 2}};
  Lbfgs h(2, 4);
  EXPECT_FALSE(h.add_pair(s, -s));
  EXPECT_FALSE(h.add_pair(s, 0 * s));
  EXPECT_FALSE(h.add_pair(0 * s, s));
  EXPECT_FALSE(h.add_pair(s, 0.99e-8 * s));
  EXPECT_FALSE(h.add_pair(s, Vec{{-2e10 + 1, 1e10}}));  // s'y = 1 is too little for so long a y
  EXPECT_FALSE(h.add_pair(s, Vec{{nan, 1}}));
  EXPECT_FALSE(h.add_pair(s, Vec{{INFINITY, 1}}));
  EXPECT_FALSE(h.add_pair(Vec{{INFINITY, 1}}, s));
  EXPECT_FALSE(h.add_pair(s, 0.9 * s, 1));  // a stricter margin, for noisy gradients
  EXPECT_EQ(h.dropped(), 9);
  EXPECT_EQ(h.pairs(), 0);
  EXPECT_EQ(product_matrix(h, 2), Mat::Identity(2, 2));
  EXPECT_TRUE(h.add_pair(s, 1.01e-8 * s));
  EXPECT_EQ(h.pairs(), 1);
}

TEST(Lbfgs, DampingMovesTheCurvatureToAFifth) {
  const Vec h0{{0.5, 2, 1}}, s{{1, -1, 2}}, y{{-1, 0.2, 0.1}};
  const double initial = s.dot(s.cwiseQuotient(h0)), phi = 0.8 * initial / (initial - s.dot(y));
  const Vec damped = phi * y + (1 - phi) * s.cwiseQuotient(h0);
  ASSERT_LT(s.dot(y), 0);
  ASSERT_NEAR(s.dot(damped), 0.2 * initial, 1e-14);
  Lbfgs h(3, 2);
  h.set_initial(h0);
  ASSERT_TRUE(h.add_damped_pair(s, y));
  Pairs pairs;
  pairs.add(s, damped);
  EXPECT_LT(relative(product_matrix(h, 3), DenseRecursion(h0, pairs).h), rounding);
  const Vec enough{{3, -2, 1}};
  ASSERT_TRUE(h.add_damped_pair(s, enough));  // curvature enough: as it is
  pairs.add(s, enough);
  EXPECT_LT(relative(product_matrix(h, 3), DenseRecursion(h0, pairs).h), rounding);
}

// A large shift y <- y + lambda s drives H to 1/lambda in the span of the steps only: elsewhere the start stays.
TEST(Lbfgs, AShiftActsInTheSpanOfTheStepsOnly) {
  const Case c = random_case(6, 2, 5);
  Lbfgs h(6, 2);
  h.set_initial_scale(50);
  for (int j = 0; j < 2; ++j) ASSERT_TRUE(h.add_pair(c.pairs.s[j], c.pairs.y[j] + 1e6 * c.pairs.s[j]));
  const Vec eigenvalues = h.inverse_metric(6).selfadjointView<Eigen::Lower>().eigenvalues();
  EXPECT_NEAR(eigenvalues[0], 1e-6, 1e-7);
  EXPECT_LT(eigenvalues[1], 1);
  for (Index i = 2; i < 6; ++i) EXPECT_NEAR(eigenvalues[i], 50, 0.01);
}

TEST(Lbfgs, ABadStartIsRefused) {
  Lbfgs h(2, 1);
  EXPECT_THROW(h.set_initial(Vec{{1, 0}}), std::invalid_argument);
  EXPECT_THROW(h.set_initial(Vec{{1, std::nan("")}}), std::invalid_argument);
  EXPECT_THROW(h.set_initial_scale(-1), std::invalid_argument);
  EXPECT_THROW(h.set_initial_scale(INFINITY), std::invalid_argument);
}

TEST(Lbfgs, WithoutMemoryTheStartIsAll) {
  Lbfgs h(2, 0);
  h.set_initial(Vec{{2, 3}});
  EXPECT_TRUE(h.add_pair(Vec{{1, 2}}, Vec{{1, 2}}));
  EXPECT_EQ(h.pairs(), 0);
  EXPECT_EQ(product_matrix(h, 2), Mat(Vec{{2, 3}}.asDiagonal()));
  EXPECT_EQ(Lbfgs().inverse_metric(0).size(), 0);
  EXPECT_EQ(Lbfgs(251, 1).inverse_metric(251).size(), 0);
}

TEST(Lbfgs, AllocatesInItsConstructorOnly) {
  const Case c = random_case(1200, 9, 6);
  Lbfgs h(1200, 7);
  Vec out(1200);
  Stream r = Rng(1).stream("draw");
  const long before = test::allocation_count;
  h.set_initial(c.h0);
  for (std::size_t j = 0; j < c.pairs.size(); ++j) h.add_damped_pair(c.pairs.s[j], c.pairs.y[j]);
  h.set_initial_scale(2);
  h.set_initial(c.h0);
  h.apply(c.h0, out);
  h.solve(c.h0, out);
  h.draw(r, out);
  h.draw_inverse(r, out);
  EXPECT_EQ(test::allocation_count - before, 0);
}

// Var of x_i x_j for a Gaussian is h_ii h_jj + h_ij^2.
TEST(Lbfgs, CovarianceOfManyDraws) {
  const Index dim = 5, n = 20'000;
  const Case c = random_case(dim, 3, 12);
  const Lbfgs h = c.full();
  const DenseRecursion dense(c.h0, c.pairs);
  Mat sum = Mat::Zero(dim, dim), inverse_sum = sum;
  Stream r = Rng(1).stream("draws");
  Vec x(dim);
  for (Index i = 0; i < n; ++i) {
    h.draw(r, x);
    sum += x * x.transpose();
    h.draw_inverse(r, x);
    inverse_sum += x * x.transpose();
  }
  const double threshold = test::z_threshold(test::per_assertion(test::family_alpha, 2 * dim * (dim + 1) / 2));
  const auto check = [&](const Mat& total, const Mat& expected) {
    for (Index j = 0; j < dim; ++j) {
      for (Index i = j; i < dim; ++i) {
        const double variance = expected(i, i) * expected(j, j) + expected(i, j) * expected(i, j);
        EXPECT_LT(std::abs(total(i, j) / n - expected(i, j)) / std::sqrt(variance / n), threshold) << i << ' ' << j;
      }
    }
  };
  check(sum, dense.h);
  check(inverse_sum, dense.b);
}

TEST(Bfgs, DenseUpdate) {
  const Case c = random_case(6, 4, 7);
  Mat h = c.h0.asDiagonal();
  Vec scratch(6);
  const long before = test::allocation_count;
  for (int j = 0; j < 4; ++j) ASSERT_TRUE(bfgs_update(h, c.pairs.s[j], c.pairs.y[j], scratch));
  EXPECT_EQ(test::allocation_count - before, 0);
  EXPECT_LT(relative(h, DenseRecursion(c.h0, c.pairs).h), rounding);
  EXPECT_EQ(h, h.transpose());
  const Mat kept = h;
  EXPECT_FALSE(bfgs_update(h, c.pairs.s[0], -c.pairs.y[0], scratch));
  EXPECT_EQ(h, kept);
}

}  // namespace
}  // namespace quasar
