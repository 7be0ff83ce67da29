// What is no point, no tangent vector, no size or has no answer, and problems whose derivatives are wrong.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>
#include <string>
#include <vector>

#include <quasar/check_manifold.hpp>
#include <quasar/errors.hpp>
#include <quasar/manifolds.hpp>

#include "support/error_message.hpp"

namespace quasar {
namespace {

using test::error_message;

constexpr double nan_value = std::numeric_limits<double>::quiet_NaN();

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

TEST(WrongVectors, AreNamed) {
  const Vec x{{1, 0}};
  const auto fault = [&](const Mat& u) { return error_message<DataError>([&] { sphere(2)->check_tangent(x, u); }); };
  EXPECT_EQ(fault(Vec{{1, 0}}), "no tangent vector of sphere(2): it points 1 out of the tangent space");
  EXPECT_EQ(fault(Vec{{0, nan_value}}), "no tangent vector of sphere(2): it has entries that are not finite");
  EXPECT_EQ(fault(Vec::Zero(3)), "no tangent vector of sphere(2): it is 3 x 1, not 2 x 1");
}

// Far from the apex of the hyperboloid tangent vectors are tangent up to their own rounding, which |x|^2 magnifies.
TEST(WrongVectors, AreToldFromRoundingFarAway) {
  const ManifoldPtr m = hyperbolic(3), both = product({spd(2), m});
  Stream stream = Rng(3).stream("far");
  for (const double distance : {3.0, 10.0, 14.0}) {
    for (int k = 0; k < 100; ++k) {
      const Mat apex = Vec::Unit(4, 0), direction = m->random_tangent(apex, stream);
      const Mat x = m->exp(apex, direction * (distance / m->norm(apex, direction)));
      Mat u = m->random_tangent(x, stream);
      EXPECT_NO_THROW(m->check_tangent(x, u));
      EXPECT_THROW(m->check_tangent(x, u + 1e-2 * u.norm() / x.norm() * x), DataError) << distance;
      Mat x_both(8, 1), u_both = Mat::Zero(8, 1);
      x_both << 1, 0, 0, 1, x;
      u_both.bottomRows(4) = u;
      EXPECT_NO_THROW(both->check_tangent(x_both, u_both));
    }
  }
}

TEST(OppositePoints, HaveNoShortestGeodesic) {
  const Vec x{{0.6, 0.8, 0}}, opposite = -x;
  EXPECT_NE(error_message<DataError>([&] { sphere(3)->log(x, opposite); }).find("antipodal"), std::string::npos);
  EXPECT_THROW(sphere(3)->parallel_transport(x, opposite, Vec{{0, 0, 1}}), DataError);
  const Mat half_turn = Vec{{-1, -1, 1}}.asDiagonal();
  EXPECT_NE(error_message<DataError>([&] { rotations(3)->log(Mat::Identity(3, 3), half_turn); }).find("half a turn"),
            std::string::npos);
  EXPECT_THROW(grassmann(2, 1)->log(Vec{{1, 0}}, Vec{{0, 1}}), DataError);
  EXPECT_NEAR(grassmann(2, 1)->distance(Vec{{1, 0}}, Vec{{0, 1}}), std::numbers::pi / 2, 1e-15);
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
