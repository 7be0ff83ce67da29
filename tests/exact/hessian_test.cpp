// Hessians that models state themselves, and those made of differences: against gradients, each other, and in SoftAbs.
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "integrators/softabs_geometry.hpp"
#include "support/geometries.hpp"
#include "targets/funnel.hpp"
#include "targets/gaussian.hpp"
#include "targets/quartic.hpp"

namespace quasar {
namespace {

struct Place {
  std::string name;
  std::unique_ptr<Target> target;
  Vec x;
};

std::unique_ptr<Target> gaussian(const Settings& settings) {
  return make_gaussian(Config("gaussian", gaussian_params, settings), nullptr);
}

std::vector<Place> places() {
  std::vector<Place> all;
  const auto add = [&](std::string name, std::unique_ptr<Target> target, Vec x) {
    all.push_back({std::move(name), std::move(target), std::move(x)});
  };
  add("banana", std::make_unique<Banana>(1.3, 0.7), Vec{{0.8, 1.5}});
  add("funnel", std::make_unique<Funnel>(4), Vec{{0.7, 1.1, -0.6, 0.3}});
  add("double-well", std::make_unique<QuarticProduct>("theta", 2, 1.0, -2.0), Vec{{0.4, -1.2}});
  add("gaussian, axes", gaussian({{"dim", "3"}, {"condition", "9"}}), Vec{{0.3, -0.5, 0.9}});
  add("gaussian, rotated", gaussian({{"dim", "3"}, {"condition", "9"}, {"rotation", "true"}}), Vec{{0.3, -0.5, 0.9}});
  add("gaussian, correlated", gaussian({{"dim", "3"}, {"correlation", "0.6"}}), Vec{{0.3, -0.5, 0.9}});
  add("normal, natural", test::curved_normal(true, false), Vec{{0.9, 1.2}});
  add("normal, unconstrained", test::curved_normal(false, false), Vec{{0.9, 0.2}});
  add("logistic", test::logistic(test::make_table(40, 2, true), {{"prior_sd", "2"}, {"intercept_prior_sd", "0.6"}}),
      Vec{{0.3, 1.1, -0.4}});
  return all;
}

// What is left of a target without its Hessian and its support.
class GradientsOnly final : public Target {
 public:
  explicit GradientsOnly(Target& inner) : inner_(&inner) {}
  std::unique_ptr<Target> fork() const override { return std::make_unique<GradientsOnly>(*this); }
  Index dim() const override { return inner_->dim(); }
  Eval logp_grad(In x, Out grad) override { return inner_->logp_grad(x, grad); }

 private:
  Target* inner_;
};

// Central differences of fourth order.
template <class F>
auto derivative(const Vec& x, Index i, F&& f) {
  constexpr double h = 1e-3;
  const Vec e = h * Vec::Unit(x.size(), i);
  return ((8 * (f(x + e) - f(x - e)) - (f(x + 2 * e) - f(x - 2 * e))) / (12 * h)).eval();
}

Mat second(Hessian& hessian, const Vec& x) {
  Mat h;
  hessian.second_derivatives(x, h);
  return h;
}

Mat weights(Index dim) {  // symmetric, no entry zero
  const Vec u = Vec::LinSpaced(dim, 0.4, 1.7), v = Vec::LinSpaced(dim, -1.1, 0.8);
  return u * u.transpose() - 0.7 * v * v.transpose() + 0.3 * Mat::Identity(dim, dim);
}

constexpr double relative = 1e-8;

TEST(Hessian, IsTheDerivativeOfTheGradient) {
  for (const Place& p : places()) {
    SCOPED_TRACE(p.name);
    const Mat h = second(*p.target->hessian(), p.x);
    ASSERT_EQ(h.rows(), p.x.size());
    for (Index i = 0; i < p.x.size(); ++i) {
      const Vec column = derivative(p.x, i, [&](const Vec& x) {
        Vec grad(x.size());
        p.target->logp_grad(x, grad);
        return Vec(-grad);
      });
      EXPECT_LT((h.col(i) - column).norm(), relative * h.norm()) << i;
    }
  }
}

TEST(Hessian, ThirdDerivativesAreThoseOfTheSecond) {
  for (const Place& p : places()) {
    SCOPED_TRACE(p.name);
    const Mat b = weights(p.x.size());
    Vec out(p.x.size());
    p.target->hessian()->third_derivatives(p.x, b, out);
    for (Index i = 0; i < p.x.size(); ++i) {
      const Mat by_i = derivative(p.x, i, [&](const Vec& x) { return second(*p.target->hessian(), x); });
      EXPECT_NEAR(out[i], by_i.cwiseProduct(b).sum(), relative * std::max(1.0, by_i.norm()) * b.norm()) << i;
    }
  }
}

TEST(Hessian, BelongsToTheFork) {
  for (Place& p : places()) {
    const Mat expected = second(*p.target->hessian(), p.x);
    const auto fork = p.target->fork();
    p.target.reset();
    EXPECT_EQ(second(*fork->hessian(), p.x), expected) << p.name;
  }
}

// Differences lose h^2 times the next derivatives in both, and in the third eps/h^2 as well, with h = 2^-13.
constexpr double of_differences = 1e-6;

TEST(DifferenceHessian, FindsWhatModelsState) {
  for (const Place& p : places()) {
    SCOPED_TRACE(p.name);
    DifferenceHessian differences(*p.target);
    const Mat expected = second(*p.target->hessian(), p.x), b = weights(p.x.size());
    EXPECT_LT((second(differences, p.x) - expected).norm(), of_differences * expected.norm());
    Vec out(p.x.size()), stated(p.x.size());
    differences.third_derivatives(p.x, b, out);
    p.target->hessian()->third_derivatives(p.x, b, stated);
    EXPECT_LT((out - stated).norm(), of_differences * std::max(1.0, expected.norm()) * b.norm());
  }
}

TEST(SoftAbs, IsTheSameFromStatedDerivativesAndWithoutGradients) {
  for (const Place& p : places()) {
    SCOPED_TRACE(p.name);
    const Index dim = p.x.size();
    GradientsOnly plain(*p.target);
    SoftAbsGeometry stated(*p.target, 2.0), differenced(plain, 2.0);
    const Vec u = Vec::LinSpaced(dim, 0.9, -0.4);
    const auto all = [&](Geometry& geometry) {  // G, (dG/dx_i)u and tr(b dG/dx_i) beside each other
      Mat g, columns, out(dim, 2 * dim + 1);
      Vec traces(dim);
      EXPECT_TRUE(geometry.metric(p.x, g));
      geometry.directional(p.x, u, columns);
      geometry.contract(p.x, weights(dim), traces);
      out << g, columns, traces;
      return out;
    };
    const Mat expected = all(stated);
    EXPECT_LT((all(differenced) - expected).norm(), of_differences * expected.norm());
    EXPECT_EQ(stated.grad_evals(), 0);
    EXPECT_EQ(differenced.grad_evals(), 2 * dim + 2 * dim * (dim + 1));
  }
}

}  // namespace
}  // namespace quasar
