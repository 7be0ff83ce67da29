// The laws that alpha-mf is made of, by simulation: characteristic functions of its entries and Laplace transforms of
// Phi against numbers that are known, and samplers without a Metropolis test against the law of exact starts. Each
// p-value is held at 1e-6 by the helpers (a family of 1000 at 1e-3).
#include <boost/math/distributions/gamma.hpp>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include <quasar/registry.hpp>

#include "support/alpha_mixtures.hpp"
#include "support/laws.hpp"
#include "support/resuming.hpp"

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

// SGLD on whole gradients in natural coordinates, mirrored at 0, with steps so small that its bias is far below what
// can be seen: W and H of the prior, a matrix from them, 60 steps.
TEST(AlphaMfLaws, MirroredLangevinStepsFromExactStarts) {
  constexpr int replicates = 4000;
  const std::vector<AlphaSource> sources{{.alpha = 1.2, .rank = 2, .w = {1, 1.1, 1}, .h = {1, 0.8, 1}}};
  AlphaMixture prior({Mat::Ones(3, 4)}, sources, {});
  std::vector<double> w, h;
  const SamplerEntry& sampler = find_sampler("sgld");
  for (int r = 0; r < replicates; ++r) {
    const Rng rng = Rng(41).child("replicate", static_cast<std::uint64_t>(r));
    Stream stream = rng.stream("data");
    ChainSpec spec;
    spec.seed = static_cast<std::uint64_t>(1000 + r);
    spec.schedule = {0, 60, 1};
    spec.initial.resize(prior.dim());
    prior.prior_draw(spec.initial, rng);
    SourceVariances found;
    prior.variances(spec.initial, 0, found);
    const Mat squares = test::drawn_squares(found.total, Mat::Ones(3, 4), stream);
    AlphaMixture model({squares}, sources, {.record_level = false});
    const Config config(sampler.name, sampler.params, {{"step_size", "1e-4"}, {"estimator", "full"}});
    test::Collect seen;
    sampler.make(model.fork(), config, spec)->run_to(60, seen, {});
    w.push_back(seen.values[seen.values.size() - 14] / 1.1);
    h.push_back(seen.values.back() / 0.8);
    EXPECT_GE(*std::ranges::min_element(seen.values), 0);
  }
  const boost::math::gamma_distribution<> law(1);
  for (std::vector<double>* sample : {&w, &h}) {
    std::ranges::sort(*sample);
    test::expect_plausible(test::ks_p_value(*sample, [&](double x) { return boost::math::cdf(law, x); }));
  }
}

}  // namespace
}  // namespace quasar
