// The samplers of alpha-mf by exact starts: W, H and Phi from the prior, a matrix from them, then a few steps given
// this matrix. W, H and Phi must still have the law of the prior, and the sum of |x|^2 / 2v a Gamma law (Geweke
// 2004, with independent restarts). The false-positive rate is 1e-3 for all of this file together.
#include <boost/math/distributions/gamma.hpp>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "kernels/langevin/mala.hpp"
#include "metrics/identity.hpp"
#include "models/alpha/alpha_components.hpp"
#include "support/alpha_mixtures.hpp"
#include "support/statistics.hpp"

namespace quasar {
namespace {

using test::alpha_rows;

constexpr int replicates = 8000;
constexpr int assertions = 60;  // upper bound
const double alpha = test::per_assertion(test::family_alpha, assertions);

using Samples = std::vector<std::vector<double>>;

// (x / scale)^power of a number with a generalised Gamma law: Gamma(shape).
double standardised(const GeneralizedGamma& law, double x) { return std::pow(x / law.scale, law.power); }

void expect_gamma(std::vector<double> sample, double shape, const std::string& what) {
  std::ranges::sort(sample);
  const boost::math::gamma_distribution<> law(shape);
  EXPECT_GT(test::ks_p_value(sample, [&](double x) { return boost::math::cdf(law, x); }), alpha) << what;
}

void expect_same_law(std::vector<double> a, std::vector<double> b, const std::string& what) {
  std::ranges::sort(a), std::ranges::sort(b);
  EXPECT_GT(test::ks_two_sample_p_value(a, b), alpha) << what;
}

struct Seen {  // of the ends of replicates
  std::vector<double> w, h, last, ratio, phi, dispersion, fresh_phi, fresh_dispersion;
};

double ratio_of(AlphaMixture& model, const Mat& squares, In x) {
  SourceVariances found;
  model.variances(x, 0, found);
  return squares.cwiseQuotient(2 * found.total).sum();
}

// MALA in logarithms at a coarse step, Phi drawn between its steps.
TEST(AlphaMfInvariance, PhiAndAnExactKernel) {
  for (const test::AlphaKind& kind : {test::AlphaKind{1, false, true}, {2, true, true}, {2, false, true}}) {
    AlphaMixture prior = test::alpha_mixture(kind);
    const Index moving = prior.conditionals()[0].block.begin, last = moving - 1;
    const std::vector<AlphaSource>& sources = prior.sources();
    Seen seen;
    double accepted = 0, phi_accepted = 0;
    for (int r = 0; r < replicates; ++r) {
      const Rng rng = Rng(31).child("replicate", static_cast<std::uint64_t>(r));
      Stream data = rng.stream("data");
      Vec x(prior.dim()), fresh(prior.dim());
      prior.prior_draw(x, rng.child("start"));
      prior.prior_draw(fresh, rng.child("fresh"));
      SourceVariances found;
      prior.variances(x, 0, found);
      const Mat squares = test::drawn_squares(found.total, Mat::Ones(3, 4), data);
      AlphaMixture model = test::alpha_mixture(kind, {squares});
      MalaParams<Identity> params;
      params.step_size = 0.03;
      params.metric = Identity(moving);
      const Mala<Identity> kernel(model, {0, moving}, params);
      auto state = kernel.init(x, rng);
      for (std::uint64_t i = 0; i < 3; ++i) {
        accepted += kernel.step(x, state, rng.child("step").at(i)).accept_prob / (3 * replicates);
        Vec phi(x.size() - moving);
        model.draw_conditional(0, x, phi, rng.child("phi").at(i));
        const auto moved = (phi.array() != x.tail(phi.size()).array()).cast<double>();
        phi_accepted += moved.mean() / (3 * replicates);
        x.tail(phi.size()) = phi;
        kernel.rebase(x, state);
      }
      seen.ratio.push_back(ratio_of(model, squares, x));
      seen.h.push_back(standardised(sources.back().h, std::exp(x[last])));
      seen.w.push_back(standardised(kind.fixed ? sources[0].h : sources[0].w, std::exp(x[0])));
      seen.phi.push_back(x[moving + 5]), seen.fresh_phi.push_back(fresh[moving + 5]);
      seen.dispersion.push_back(x[x.size() - 2]), seen.fresh_dispersion.push_back(fresh[x.size() - 2]);
    }
    const std::string name = kind.name();
    EXPECT_GT(accepted, 0.5) << name;
    EXPECT_LT(accepted, 0.9) << name;
    EXPECT_GT(phi_accepted, 0.3) << name;
    EXPECT_LT(phi_accepted, 0.95) << name;
    expect_gamma(seen.ratio, 12, name + ": the sum of |x|^2 / 2v");
    expect_gamma(seen.w, kind.fixed ? sources[0].h.shape : sources[0].w.shape, name + ": the first factor");
    expect_gamma(seen.h, sources.back().h.shape, name + ": the last factor");
    expect_same_law(seen.phi, seen.fresh_phi, name + ": Phi of the first source");
    expect_same_law(seen.dispersion, seen.fresh_dispersion, name + ": Phi of the last source");
  }
}

// The Gibbs sampler: phi, s, H and W of one source and of two, one of which may be given or normal.
void expect_sweeps_change_nothing(const std::string& name, const std::vector<AlphaSource>& sources, bool gaps) {
  Mat seen = Mat::Ones(3, 4);
  if (gaps) seen(0, 2) = seen(1, 3) = seen(2, 2) = -1;
  AlphaComponents prior({Mat::Ones(3, 4)}, sources, {});
  const bool fixed = sources[0].fixed();
  const Index own_h = fixed ? 0 : alpha_rows * sources[0].rank, last = prior.dim() - prior.components() * 12 - 1;
  Seen seen_values;
  std::vector<double> levels, fresh_levels;
  for (int r = 0; r < replicates; ++r) {
    const Rng rng = Rng(37).child("replicate", static_cast<std::uint64_t>(r));
    Stream data = rng.stream("data");
    Vec x(prior.dim()), fresh(prior.dim());
    prior.prior_draw(x, rng.child("start"));
    prior.prior_draw(fresh, rng.child("fresh"));
    SourceVariances found;
    prior.variances(x, 0, found);
    const Mat squares = test::drawn_squares(found.total, seen, data);
    AlphaComponents model({squares}, sources, {});
    for (std::uint64_t i = 0; i < 3; ++i) model.sweep(x, {}, rng.child("sweep").at(i));
    model.variances(x, 0, found);
    seen_values.ratio.push_back((seen.array() > 0).select(squares.cwiseQuotient(2 * found.total), 0).sum());
    seen_values.w.push_back(standardised(fixed ? sources[0].h : sources[0].w, x[0]));
    seen_values.h.push_back(standardised(sources[0].h, x[own_h + 3]));
    seen_values.last.push_back(standardised(sources.back().h, x[last]));
    const Index phi = last + 1 + 3 * prior.components();  // the second column, seen in all rows
    seen_values.phi.push_back(std::log(x[phi])), seen_values.fresh_phi.push_back(std::log(fresh[phi]));
    SourceVariances freshly;
    prior.variances(fresh, 0, freshly);
    levels.push_back(found.total.col(1).array().log().sum());
    fresh_levels.push_back(freshly.total.col(1).array().log().sum());
  }
  expect_gamma(seen_values.ratio, gaps ? 9 : 12, name + ": the sum of |x|^2 / 2v");
  expect_gamma(seen_values.w, fixed ? sources[0].h.shape : sources[0].w.shape, name + ": the first factor");
  expect_gamma(seen_values.h, sources[0].h.shape, name + ": H of the first source");
  expect_gamma(seen_values.last, sources.back().h.shape, name + ": the last factor");
  expect_same_law(seen_values.phi, seen_values.fresh_phi, name + ": phi");
  expect_same_law(levels, fresh_levels, name + ": a column's variances");
}

TEST(AlphaMfInvariance, GibbsSweeps) {
  expect_sweeps_change_nothing("one source", test::alpha_sources({1, false}), false);
  expect_sweeps_change_nothing("one source with gaps", test::alpha_sources({1, false}), true);
  expect_sweeps_change_nothing("two sources", test::alpha_sources({2, false}), false);
  expect_sweeps_change_nothing("two sources, one given", test::alpha_sources({2, true}), false);
  std::vector<AlphaSource> normal = test::alpha_sources({2, false});
  normal[1].alpha = 2;
  normal[1].w.power = normal[1].h.power = -1;
  expect_sweeps_change_nothing("two sources, one normal", normal, false);
}

}  // namespace
}  // namespace quasar
