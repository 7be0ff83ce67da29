// What each manifold has for itself: numbers computed elsewhere, formulas of the literature, what it is where sizes
// make it another one.
#include <Eigen/LU>
#include <Eigen/SVD>
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include <quasar/manifolds.hpp>

namespace quasar {
namespace {

constexpr double pi = std::numbers::pi;

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

// Covariances of fewer observations than variables, whose Cholesky factorization succeeds as their rounding goes.
TEST(Spd, RefusesMatricesThatAreSingularToRounding) {
  Stream stream = Rng(2).stream("observations");
  for (const Index n : {4, 20}) {
    for (const Index rank : {n - 1, n / 2}) {
      for (int k = 0; k < 200; ++k) {
        const Mat rows =
            Vec::LinSpaced(n, -6, 6).array().exp().matrix().asDiagonal() * euclidean(n, rank)->random_point(stream);
        const Mat covariance = rows * rows.transpose(),
                  shrunk = covariance + 1e-6 * Mat(covariance.diagonal().asDiagonal());
        const std::string why = spd(n)->fault(covariance);
        ASSERT_NE(why.find("singular to rounding"), std::string::npos) << n << ' ' << rank << ' ' << why;
        ASSERT_NE(why.find("shrinkage"), std::string::npos);
        ASSERT_EQ(spd(n)->fault(shrunk), "");
      }
    }
  }
  const Mat far_apart = Vec{{1e-200, 1, 1e200}}.asDiagonal();
  EXPECT_EQ(spd(3)->fault(far_apart), "");
  const Mat barely{{1, 1 - 1e-14}, {1 - 1e-14, 1}}, negative{{1, 1 + 1e-14}, {1 + 1e-14, 1}};
  EXPECT_EQ(spd(2)->fault(barely), "");
  EXPECT_NE(spd(2)->fault(negative).find("smallest eigenvalue is -"), std::string::npos);
  EXPECT_NE(spd(2)->fault(Mat{{0, 0}, {0, 1}}).find("smallest eigenvalue is 0"), std::string::npos);
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
}  // namespace
}  // namespace quasar
