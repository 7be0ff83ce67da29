// The laws that alpha-mf is made of, by simulation: characteristic functions of its entries and Laplace transforms of
// Phi against numbers that are known, and samplers without a Metropolis test against the law of exact starts. Each
// p-value is held at 1e-6 by the helpers (a family of 1000 at 1e-3).
#include <boost/math/distributions/gamma.hpp>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "kernels/langevin/sgld.hpp"
#include "support/alpha_mixtures.hpp"
#include "support/laws.hpp"

namespace quasar {
namespace {

void expect_mean(const Vec& values, double expected) {
  const double n = static_cast<double>(values.size()), mean = values.mean();
  const double variance = (values.array() - mean).square().mean();
  EXPECT_LT(variance, 10) << "not bounded";
  test::expect_plausible(test::z_p_value((mean - expected) / std::sqrt(variance / n)));
}

// Entries that were not seen take every proposal: the Metropolis step draws Phi from its prior.
Vec prior_of_phi(double alpha) {
  Mat squares = Mat::Constant(400, 500, NAN);
  squares(0, 0) = 1;
  AlphaMixture model({squares}, {{.alpha = alpha, .rank = 1}}, {});
  const Vec x = Vec::Ones(model.dim());
  Vec log_phi(squares.size());
  model.draw_conditional(0, x, log_phi, Rng(12));
  return log_phi.array().exp().matrix().tail(squares.size() - 1);
}

TEST(AlphaMfLaws, LaplaceTransformOfPhi) {
  for (const double alpha : {0.5, 1.2, 1.89}) {
    const Vec phi = prior_of_phi(alpha);
    for (const double t : {0.05, 0.5, 3.0}) {
      SCOPED_TRACE(alpha);
      expect_mean((-t * phi.array()).exp().matrix(), std::exp(-std::pow(2 * t, alpha / 2)));
    }
  }
}

// E exp(i w Re x) for L^(1/alpha) = 1.3, by numbers of an independent implementation.
TEST(AlphaMfLaws, CharacteristicFunctionOfEntries) {
  struct Known {
    double alpha, at_04, at_1;
  };
  for (const Known& known : {Known{1.2, .6337, .2541}, {1.89, .7478, .1936}}) {
    SCOPED_TRACE(known.alpha);
    const Vec phi = prior_of_phi(known.alpha);
    Vec x(phi.size());
    Rng(13).stream("x").normals(x);
    x.array() *= 1.3 * phi.array().sqrt();
    for (const auto& [w, stored] : {std::pair{0.4, known.at_04}, {1.0, known.at_1}}) {
      const double expected = std::exp(-std::pow(1.3 * w, known.alpha));
      EXPECT_NEAR(expected, stored, 5e-5);
      expect_mean((w * x.array()).cos().matrix(), expected);
    }
  }
}

// Of |x|^2 / L^(2/alpha), entry by entry, whose law is free of W and H: how far they are from the data.
double misfit(AlphaMixture& model, const Mat& squares, In x) {
  SourceVariances found;
  model.variances(x, 0, found);
  return (squares.array() / found.total.array()).log().sum() + x.tail(squares.size()).sum();
}

// W, H and Phi from the prior, a matrix from them, then SGLD on whole gradients in natural coordinates, mirrored at 0,
// and Phi drawn after every step: for long enough that an entry of W has moved by half of its mean, with steps whose
// bias cannot be seen yet. Entries of W are exponential, so that many meet the mirror, and four together seldom leave a
// dispersion of 0 there. Noise whose variance is 15 % too low is seen.
TEST(AlphaMfLaws, MirroredLangevinStepsFromExactStarts) {
  constexpr int replicates = 12000, steps = 250;
  const std::vector<AlphaSource> sources{{.alpha = 1.2, .rank = 4, .w = {1, 1.1, 1}, .h = {5, 0.3, 1}}};
  AlphaMixture prior({Mat::Ones(3, 4)}, sources, {});
  const Index moving = prior.moving();
  std::vector<double> w, h, starts, ends;  // misfits of every other replicate: independent
  double distance = 0;
  for (int r = 0; r < replicates; ++r) {
    const Rng rng = Rng(41).child("replicate", static_cast<std::uint64_t>(r));
    Stream data = rng.stream("data");
    Vec x(prior.dim()), phi(prior.dim() - moving);
    prior.prior_draw(x, rng.child("start"));
    SourceVariances found;
    prior.variances(x, 0, found);
    const Mat squares = test::drawn_squares(found.total, Mat::Ones(3, 4), data);
    AlphaMixture model({squares}, sources, {});
    const Sgld kernel(model, {0, moving}, {}, {.step = {.size = 0.005}});
    auto state = kernel.init(x, rng);
    const double before = x[0];
    if (r % 2 == 0) starts.push_back(misfit(model, squares, x));
    for (std::uint64_t i = 0; i < steps; ++i) {
      kernel.step(x, state, rng.child("step").at(i));
      model.draw_conditional(0, x, phi, rng.child("phi").at(i));
      x.tail(phi.size()) = phi;
    }
    EXPECT_GE(x.head(moving).minCoeff(), 0);
    if (r % 2 == 1) ends.push_back(misfit(model, squares, x));
    distance += std::abs(x[0] - before) / replicates;
    w.push_back(x[0] / 1.1);
    h.push_back(x[moving - 1] / 0.3);
  }
  EXPECT_GT(distance, 0.5);
  const auto expect_gamma = [](std::vector<double>& sample, double shape) {
    std::ranges::sort(sample);
    const boost::math::gamma_distribution<> law(shape);
    test::expect_plausible(test::ks_p_value(sample, [&](double x) { return boost::math::cdf(law, x); }));
  };
  expect_gamma(w, 1);
  expect_gamma(h, 5);
  std::ranges::sort(starts), std::ranges::sort(ends);
  test::expect_plausible(test::ks_two_sample_p_value(starts, ends));
}

}  // namespace
}  // namespace quasar
