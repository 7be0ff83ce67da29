// The samplers of alpha-mf by exact starts: W, H and Phi from the prior, a matrix from them, then a few steps given
// this matrix. W, H and Phi must still have the law of the prior, and |x|^2 / v that of an exponential variable (Geweke
// 2004, with independent restarts). The false-positive rate is 1e-3 for all of this file together.
#include <boost/math/distributions/gamma.hpp>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "kernels/langevin/mala.hpp"
#include "metrics/identity.hpp"
#include "support/alpha_mixtures.hpp"
#include "support/statistics.hpp"

namespace quasar {
namespace {

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
  std::vector<double> w, h, ratio, phi, dispersion, fresh_phi, fresh_dispersion;
};

double ratio_of(AlphaMixture& model, const Mat& squares, In x) {
  SourceVariances found;
  model.variances(x, 0, found);
  return squares(1, 2) / (2 * found.total(1, 2));
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
      const Mat squares = test::drawn_squares(prior, x, Mat::Ones(3, 4), data);
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
        x.tail(phi.size()) = phi;
        kernel.rebase(x, state);
      }
      phi_accepted += model.acceptance() / replicates;
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
    expect_gamma(seen.ratio, 1, name + ": |x|^2 / 2v");
    expect_gamma(seen.w, kind.fixed ? sources[0].h.shape : sources[0].w.shape, name + ": the first factor");
    expect_gamma(seen.h, sources.back().h.shape, name + ": the last factor");
    expect_same_law(seen.phi, seen.fresh_phi, name + ": Phi of the first source");
    expect_same_law(seen.dispersion, seen.fresh_dispersion, name + ": Phi of the last source");
  }
}

}  // namespace
}  // namespace quasar
