// Checks of gradients and Hessians on manifolds: what they find, and what nobody can tell.
#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <utility>

#include <quasar/check_manifold.hpp>
#include <quasar/manifolds.hpp>

#include "support/manifold_problems.hpp"

namespace quasar {
namespace {

using test::EigenData;

// A small multiple of x_1 on the sphere, with the gradient of the space around it.
struct SmallCost final : ManifoldProblem {
  const Manifold& manifold() const override { return *space; }
  double value(MatIn x) override { return 1e-9 * x(0, 0); }
  double gradient(MatIn x, MatOut gradient) override {
    gradient = 1e-9 * Vec::Unit(3, 0);
    return value(x);
  }
  ManifoldPtr space = sphere(3);
};

TEST(SlopeChecks, FindSmallGradientsThatAreNotTangent) {
  SmallCost problem;
  const SlopeCheck found = check_gradient(problem, Vec{{0.6, 0, 0.8}});
  EXPECT_FALSE(found.ok) << found.message;
  EXPECT_GT(found.defect, 0.1);
}

TEST(SlopeChecks, AcceptHessiansByDifferencesAndFindWrongOnesInAnyUnits) {
  const EigenData d(8, 20, 0.1, Rng(4));
  for (const double unit : {1e-9, 1.0, 1e9}) {
    const Mat a = unit / 20 * d.data * d.data.transpose(), beside = unit * Mat::Identity(8, 8).rowwise().reverse();
    Mat turn = Mat::Zero(8, 8);
    turn(0, 1) = 1e-3 * unit, turn(1, 0) = -1e-3 * unit;  // adds nothing to <H u, u>
    const auto check = [&](Stream& stream, const decltype(AmbientCost::second)& second) {
      const auto problem = make_problem(sphere(8), {[&](MatIn x) { return 0.5 * (x.transpose() * a * x).value(); },
                                                    [&](MatIn x, MatOut g) { g = a * x; }, second});
      return check_hessian(*problem, problem->manifold().random_point(stream), Rng(7));
    };
    Stream stream = Rng(28).stream("points");
    for (int k = 0; k < 50; ++k) {
      const SlopeCheck differenced = check(stream, nullptr);
      EXPECT_TRUE(differenced.ok) << differenced.message;
      EXPECT_FALSE(check(stream, [&](MatIn, MatIn u, MatOut h) { h = (a + turn) * u; }).ok);
      EXPECT_FALSE(check(stream, [&](MatIn, MatIn u, MatOut h) { h = (a + 1e-2 * beside) * u; }).ok);
    }
  }
}

TEST(SlopeChecks, CannotTellWhatRoundingCovers) {
  const auto with = [](double constant, double slope) {
    return make_problem(euclidean(2), {[=](MatIn x) { return constant + slope * x(0, 0); },
                                       [=](MatIn, MatOut g) {
                                         g = Vec{{slope, 0}};
                                       },
                                       [](MatIn, MatIn, MatOut h) { h.setZero(); }});
  };
  const Mat x = Vec{{0.3, 0.2}};
  for (const SlopeCheck& found : {check_gradient(*with(1e12, 1), x), check_hessian(*with(1e12, 1), x)}) {
    EXPECT_FALSE(found.ok);
    EXPECT_NE(found.message.find("cannot be told"), std::string::npos) << found.message;
  }
  for (const auto& [constant, slope] : {std::pair{1e3, 1.0}, {1e12, 0.0}, {0.0, 1e-9}}) {
    EXPECT_TRUE(check_gradient(*with(constant, slope), x).ok) << constant << " " << slope;
    EXPECT_TRUE(check_hessian(*with(constant, slope), x).ok) << constant << " " << slope;
  }
}

TEST(SlopeChecks, TellOfCostsThatAreNotFiniteNearby) {
  const auto problem = make_problem(
      euclidean(1), {[](MatIn x) { return x(0, 0) == 0.5 ? 0.25 : std::numeric_limits<double>::quiet_NaN(); },
                     [](MatIn x, MatOut g) { g = 2 * x; }, [](MatIn, MatIn u, MatOut h) { h = 2 * u; }});
  const Mat x = Mat::Constant(1, 1, 0.5);
  for (const SlopeCheck& found : {check_gradient(*problem, x), check_hessian(*problem, x)}) {
    EXPECT_FALSE(found.ok);
    EXPECT_NE(found.message.find("not finite at a distance of 1e-12"), std::string::npos) << found.message;
  }
}

}  // namespace
}  // namespace quasar
