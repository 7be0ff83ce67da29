// alpha-mf without statistics: the density and its slopes, its sums, what is recorded, and the laws that it is made of
// by numbers computed elsewhere.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include <quasar/check_gradient.hpp>
#include <quasar/errors.hpp>
#include <quasar/stable.hpp>

#include "core/stable.hpp"
#include "models/alpha/alpha_components.hpp"
#include "simd/stable_variances.hpp"
#include "support/allocations.hpp"
#include "support/alpha_mixtures.hpp"
#include "support/error_message.hpp"
#include "support/instruction_sets.hpp"

namespace quasar {
namespace {

using test::alpha_mixture;
using test::alpha_sources;

std::size_t at(Index i) { return static_cast<std::size_t>(i); }

Vec start_of(const AlphaMixture& model, std::uint64_t seed = 5) {
  Vec x(model.dim());
  model.draw_start(x, Rng(seed));
  return x;
}

// The point of the oracle below, in the order of x.
AlphaMixture oracle_model(bool log_coordinates) {
  const Mat squares{{1, 4}, {0.25, 9}};
  return {{squares}, {{.alpha = 1.2, .rank = 2, .w = {1, 1, 1}, .h = {1, 1, 1}}}, {.log_coordinates = log_coordinates}};
}

const Mat oracle_w{{1, 0.5}, {0.2, 2}}, oracle_h{{0.3, 1}, {2, 0.4}}, oracle_phi{{0.5, 1}, {2, 0.8}};

Vec oracle_point() {
  Vec x(12);
  x << oracle_w.transpose().reshaped(), oracle_h.reshaped(), oracle_phi.reshaped().array().log().matrix();
  return x;
}

// Numbers of an independent implementation. The priors here, Gamma(1), add -sum of W and H, and slopes of -1.
TEST(AlphaMf, MicroOracle) {
  AlphaMixture model = oracle_model(false);
  const Vec x = oracle_point();
  Vec grad(12);
  const double logp = model.logp_grad(x, grad).logp;
  EXPECT_NEAR(logp + oracle_w.sum() + oracle_h.sum(), -17.957570801, 1e-9);
  const Mat dw{{-.52475977, .64382192}, {-7.58592555, -2.26728145}},
      dh{{.53571467, -2.20265928}, {1.04310662, -15.74716297}};
  Vec expected(8);
  expected << dw.transpose().reshaped(), dh.reshaped();
  EXPECT_LT((grad.head(8) + expected + Vec::Ones(8)).cwiseAbs().maxCoeff(), 2e-8);
}

TEST(AlphaMf, TheOracleInLogarithms) {
  AlphaMixture natural = oracle_model(false), logarithms = oracle_model(true);
  const Vec x = oracle_point();
  Vec y = x, grad(12), log_grad(12);
  y.head(8) = x.head(8).array().log().matrix();
  const double logp = natural.logp_grad(x, grad).logp, log_logp = logarithms.logp_grad(y, log_grad).logp;
  EXPECT_NEAR(log_logp, logp + y.head(8).sum(), 1e-12);  // the Jacobian
  EXPECT_LT((log_grad.head(8) - x.head(8).cwiseProduct(grad.head(8)) - Vec::Ones(8)).cwiseAbs().maxCoeff(), 1e-12);
  EXPECT_LT((log_grad.tail(4) - grad.tail(4)).cwiseAbs().maxCoeff(), 1e-12);
}

TEST(AlphaMf, PriorByItsFormula) {
  const GeneralizedGamma law{2, 1.5, -2 / 1.2};
  const double x = 0.7;
  double slope = 0;
  const double logp = simd::natural_stacy_slopes(law.law(), &x, true, &slope, 1) + law.log_constant();
  EXPECT_NEAR(slope, 2.289723414, 1e-9);
  const double c = law.power;
  EXPECT_NEAR(logp,
              std::log(-c) - std::lgamma(2) - c * 2 * std::log(1.5) + (2 * c - 1) * std::log(x) - std::pow(x / 1.5, c),
              1e-12);
  double sum = 0;  // over log x: the density integrates to 1
  for (int i = -4000; i <= 4000; ++i) {
    const double y = 0.005 * i;
    double ignored = 0;
    sum += 0.005 * std::exp(simd::log_stacy_slopes(law.law(), &y, true, &ignored, 1) + law.log_constant());
  }
  EXPECT_NEAR(sum, 1, 1e-10);
}

TEST(AlphaMf, StableDrawsByVectors) {
  Vec angle(1003), exponential(1003), out(1003);
  Rng(1).stream("angle").uniforms(angle);
  Rng(1).stream("exponential").uniforms(exponential);
  angle.head(2) << 0x1p-53, 1 - 0x1p-53;
  test::with_each_instruction_set([&] {
    for (const double a : {0.05, 0.6, 0.945}) {
      simd::log_positive_stables(a, 0.25, angle.data(), exponential.data(), out.data(), at(out.size()));
      for (Index i = 0; i < out.size(); ++i) {
        ASSERT_TRUE(std::isfinite(out[i])) << a << " " << i;
        if (i < 2) continue;  // next to the ends pi itself is rounded
        const double expected = std::log(positive_stable_of(a, M_PI * angle[i], -std::log(exponential[i]))) + 0.25;
        ASSERT_NEAR(out[i], expected, 1e-12 / a * std::max(1.0, std::abs(expected))) << a << " " << i;
      }
    }
  });
}

// A variance that is no number is not proposed to anybody, not even where nothing was seen.
TEST(AlphaMf, ProposalsThatAreNoNumbers) {
  const Vec square{{-1, -1, -1, 4}}, rest = Vec::Zero(4), proposed{{3, NAN, INFINITY, NAN}}, mark = Vec::Constant(4, 5),
                                     uniform = Vec::Constant(4, 0.5);
  test::with_each_instruction_set([&] {
    Vec variance = Vec::Ones(4), now = Vec::Zero(4);
    simd::accept_variances({square.data(), rest.data(), proposed.data(), mark.data(), uniform.data()}, variance.data(),
                           now.data(), 4);
    EXPECT_EQ(variance, (Vec{{3, 1, 1, 1}}));
    EXPECT_EQ(now, (Vec{{5, 0, 0, 0}}));
  });
}

TEST(AlphaMf, Gradients) {
  for (const test::AlphaKind& kind : test::alpha_kinds) {
    SCOPED_TRACE(kind.name());
    AlphaMixture model = alpha_mixture(kind);
    for (const std::uint64_t seed : {1, 2, 3}) {
      const GradientCheck check = check_gradient(model, start_of(model, seed));
      EXPECT_TRUE(check.ok) << check.message;
    }
  }
}

// A batch of each entry once, in any order, is the sum of all; so are ranges that cut columns, and entries left out.
TEST(AlphaMf, TheSumOfItsTerms) {
  for (const bool gaps : {false, true}) {
    for (const test::AlphaKind& kind : test::alpha_kinds) {
      SCOPED_TRACE(kind.name());
      Intensities data = test::some_intensities(7, 23);
      if (gaps) data.squares(3, 2) = data.squares(0, 0) = NAN;
      AlphaMixture model = alpha_mixture(kind, data);
      EXPECT_EQ(model.terms(), 161 - (gaps ? 2 : 0));
      const Vec x = start_of(model);
      Vec whole = Vec::Zero(model.dim()), parts = whole, ranges = whole;
      const double all = model.add_all(x, 0.7, whole, Want::both).logp;
      std::vector<Index> ids(at(model.terms()));
      std::iota(ids.begin(), ids.end(), 0);
      std::ranges::reverse(ids);
      const std::span<const Index> some(ids);
      double sum = model.add_terms(x, some.first(100), 0.7, parts, Want::both).logp;
      sum += model.add_terms(x, some.subspan(100), 0.7, parts, Want::both).logp;
      EXPECT_NEAR(sum, all, 1e-11 * std::abs(all));
      EXPECT_LT((parts - whole).norm(), 1e-11 * whole.norm());
      double in_ranges = 0;
      for (const auto& [begin, end] : {std::pair<Index, Index>{0, 3}, {3, 5}, {5, 100}, {100, model.terms()}}) {
        in_ranges += model.add_range(x, begin, end, 0.7, ranges, Want::both).logp;
      }
      EXPECT_NEAR(in_ranges, all, 1e-11 * std::abs(all));
      EXPECT_LT((ranges - whole).norm(), 1e-11 * whole.norm());
      Vec gradient = Vec::Zero(model.dim());
      EXPECT_TRUE(model.add_all(x, 0.7, gradient, Want::gradient).ok);
      EXPECT_EQ(gradient, whole);
    }
  }
}

// alpha = 2: no Phi, and the distance of Itakura and Saito between |x|^2 and 4 L but for a function of the data.
TEST(AlphaMf, TheGaussianLimit) {
  const Intensities data = test::some_intensities();
  AlphaMixture model(data, {{.alpha = 2, .rank = 2}}, {});
  EXPECT_TRUE(model.conditionals().empty());
  const Vec x = start_of(model), y = start_of(model, 6);
  Vec grad(model.dim()), at_prior(model.dim());
  const auto logp = [&](const Vec& point) {
    return model.logp_grad(point, grad).logp - model.prior(point, at_prior, Want::both).logp;
  };
  const auto distance = [&](const Vec& point) {
    const Mat l = Eigen::Map<const Mat>(point.data(), 2, 3).transpose() * Eigen::Map<const Mat>(point.data() + 6, 2, 4);
    const Mat ratio = data.squares.cwiseQuotient(4 * l);
    return (ratio.array() - ratio.array().log() - 1).sum();
  };
  EXPECT_NEAR(logp(x) - logp(y), distance(y) - distance(x), 1e-10);
}

TEST(AlphaMf, RecordsWhatItStartsFrom) {
  for (const test::AlphaKind& kind : test::alpha_kinds) {
    for (const bool everything : {false, true}) {
      SCOPED_TRACE(kind.name());
      AlphaMixture model(
          test::some_intensities(), alpha_sources(kind),
          {.log_coordinates = kind.log_coordinates, .record_phi = everything, .record_share = everything});
      const Vec x = start_of(model);
      Vec values(model.layout().size()), back(model.dim());
      model.constrain(x, values, Rng(1));
      model.unconstrain(values, back);
      const Index moving = model.conditionals()[0].block.begin;
      EXPECT_LT((back.head(moving) - x.head(moving)).cwiseAbs().maxCoeff(), 1e-12);
      const Vec recorded = everything ? back : x;
      EXPECT_LT((recorded - x).cwiseAbs().maxCoeff(), 1e-12);
      Vec again(values.size());
      model.constrain(back, again, Rng(1));
      EXPECT_LT((again.tail(moving) - values.tail(moving)).cwiseAbs().maxCoeff(), 1e-12 * values.norm());
    }
  }
}

// A point of W and H has Phi of the prior, but for entries that would lie far outside of their normal laws; one of W, H
// and some of Phi has those. The same whenever it is read.
TEST(AlphaMf, PhiThatIsNotToldIsDrawn) {
  Intensities data = test::some_intensities(30, 40);
  for (const bool log_coordinates : {false, true}) {
    AlphaMixture model(data, alpha_sources({2, true}, 30), {.log_coordinates = log_coordinates, .record_phi = true});
    const Vec x = start_of(model);
    Vec values(model.layout().size()), given(model.dim()), again(model.dim());
    model.constrain(x, values, Rng(1));
    Vec phi = values.segment(model.scalars(), 2400);
    values.segment(model.scalars() + 1, 2399).setConstant(NAN);
    model.unconstrain(values, given);
    model.unconstrain(values, again);
    EXPECT_EQ(given, again);
    EXPECT_NEAR(given[model.moving()], std::log(phi[0]), 1e-12);
    const Vec drawn = given.segment(model.moving() + 1, 1199);
    EXPECT_GT((drawn.array() - drawn.mean()).abs().mean(), 0.3);
    SourceVariances found;
    model.variances(given, 0, found);
    EXPECT_LE(data.squares.cwiseQuotient(found.total).maxCoeff(), 2 * (1 + 1e-9));
  }
}

TEST(AlphaMf, ComponentsOfAPointAreDrawn) {
  const Intensities data = test::some_intensities(30, 40);
  AlphaComponents model(data, alpha_sources({2, true}, 30), {});
  Vec x(model.dim()), values(model.layout().size()), given(model.dim());
  model.draw_start(x, Rng(5));
  model.constrain(x, values, Rng(1));
  model.unconstrain(values, given);
  const Index moving = model.dim() - 1200 * model.components();
  EXPECT_LT((given - x).head(moving).cwiseAbs().maxCoeff(), 1e-12);
  const Vec log_phi = given.tail(given.size() - moving).array().log();
  EXPECT_GT((log_phi.array() - log_phi.mean()).abs().mean(), 0.3);
  SourceVariances found;
  model.variances(given, 0, found);
  EXPECT_LE(data.squares.cwiseQuotient(found.total).maxCoeff(), 2 * (1 + 1e-9));
}

// W[row, factor] and H[factor, column], last index fastest; the level is the geometric mean of (W H)^(1/alpha).
TEST(AlphaMf, TheOrderOfWhatIsRecorded) {
  AlphaMixture model = oracle_model(false);
  Vec values(9), expected(9);
  model.constrain(oracle_point(), values, Rng(1));
  expected << std::exp((oracle_w * oracle_h).array().log().mean() / 1.2), oracle_w.transpose().reshaped(),
      oracle_h.transpose().reshaped();
  EXPECT_LT((values - expected).norm(), 1e-14);
}

TEST(AlphaMf, GainAndWhatIsLeft) {
  AlphaMixture model(test::some_intensities(), alpha_sources({2, false}), {.record_share = true});
  const Vec x = start_of(model);
  SourceVariances first, second;
  model.variances(x, 0, first);
  model.variances(x, 1, second);
  EXPECT_LT((first.own + second.own - first.total).norm(), 1e-12 * first.total.norm());
  EXPECT_LT((first.gain() + second.gain() - Mat::Ones(3, 4)).norm(), 1e-12);
  Vec values(model.layout().size());
  model.constrain(x, values, Rng(1));
  ASSERT_EQ(model.layout().variables[2].name, "gain");
  const Mat by_rows = first.gain().transpose();
  EXPECT_EQ(values.segment(2, 12), by_rows.reshaped());
  EXPECT_LT((first.variance() - first.own.cwiseProduct(second.own).cwiseQuotient(first.total)).norm(),
            1e-12 * first.total.norm());
}

// By components, the variances of sources whose components share their Phi are those of the mixture.
TEST(AlphaMf, GainByComponents) {
  const std::vector<AlphaSource> sources = alpha_sources({2, true});
  AlphaComponents components(test::some_intensities(), sources, {.record_share = true});
  Vec x(components.dim());
  components.draw_start(x, Rng(2));
  SourceVariances found;
  components.variances(x, 0, found);
  Mat expected = Mat::Zero(3, 4);
  for (Index j = 0; j < 4; ++j) {
    for (Index k = 0; k < 2; ++k) {
      for (Index i = 0; i < 3; ++i) {
        const double phi = x[8 + 3 + 4 + (j * 3 + k) * 3 + i];  // behind H, W and H; three components
        expected(i, j) += phi * std::pow(sources[0].dictionary(i, k) * x[2 * j + k], 2 / 1.2);
      }
    }
  }
  EXPECT_LT((found.own - expected).norm(), 1e-10 * expected.norm());
  Vec values(components.layout().size());
  components.constrain(x, values, Rng(1));
  ASSERT_EQ(components.layout().variables[2].name, "gain");
  const Mat by_rows = found.gain().transpose();
  EXPECT_EQ(values.segment(2, 12), by_rows.reshaped());
}

TEST(AlphaMf, AGradientAllocatesNothing) {
  for (const test::AlphaKind& kind : test::alpha_kinds) {
    AlphaMixture model = alpha_mixture(kind);
    const Vec x = start_of(model);
    Vec grad(model.dim()), phi(model.dim() - model.conditionals()[0].block.begin);
    const std::vector<Index> ids{3, 1, 3, 0};
    model.logp_grad(x, grad);
    const long before = test::allocation_count;
    model.prior(x, grad, Want::gradient);
    model.add_terms(x, ids, 3, grad, Want::gradient);
    model.draw_conditional(0, x, phi, Rng(1));
    EXPECT_EQ(test::allocation_count, before) << kind.name();
  }
}

// Dispersions at 0, intensities of 0, Phi out of all proportion: finite numbers.
// Far out there is a finite density, or none that is told.
TEST(AlphaMf, EndsOfItsDomain) {
  Intensities data = test::some_intensities();
  data.squares(1, 1) = 0;
  for (const test::AlphaKind& kind : test::alpha_kinds) {
    SCOPED_TRACE(kind.name());
    AlphaMixture model = alpha_mixture(kind, data);
    const Vec start = start_of(model);
    Vec grad(model.dim());
    const auto at = [&](Index place, double value) {
      Vec x = start;
      x[place] = value;
      return model.logp_grad(x, grad);
    };
    const auto sound = [&](const Eval& found) { return !found.ok || (std::isfinite(found.logp) && grad.allFinite()); };
    ASSERT_TRUE(at(0, start[0]).ok);
    for (Index place = 0; place < model.dim(); ++place) {
      for (const double value : {-800.0, 690.0, 800.0, 1e-14, 1e14, 1e300}) {
        EXPECT_TRUE(sound(at(place, value))) << place << ": " << value;
      }
      EXPECT_FALSE(at(place, NAN).ok) << place;
    }
    if (kind.log_coordinates) {
      EXPECT_TRUE(at(0, start[0] - 1).ok);
    } else {
      EXPECT_FALSE(at(0, -0.1).ok);
      Vec x = start;
      x[0] = -0.1;
      EXPECT_FALSE(model.prior(x, grad, Want::gradient).ok);
    }
  }
}

// alpha = 1: (1 + r^2)^(-3/2) / 2 pi. Of any alpha, Gamma(2/alpha) / (2 pi alpha) at 0, and an integral of 1.
TEST(AlphaMf, DensityOfStableNumbers) {
  const IsotropicStableDensity cauchy(1);
  for (const double r : {0.0, 1e-7, 1e-4, 0.01, 0.3, 1.0, 2.5, 40.0, 1e4, 1e8, 1e12}) {
    EXPECT_NEAR(cauchy.log_at(r), -1.5 * std::log1p(r * r) - std::log(2 * M_PI), 1e-6) << r;
  }
  for (const double alpha : {0.5, 0.7, 1.2, 1.5, 1.89, 1.98, 1.999, 2.0}) {
    SCOPED_TRACE(alpha);
    const IsotropicStableDensity density(alpha);
    EXPECT_NEAR(density.log_at(0), std::lgamma(2 / alpha) - std::log(2 * M_PI * alpha), 1e-6);
    double sum = 0;  // over log r, as far as the tail weighs
    const double step = 0.01, end = 20 / alpha;
    for (double y = -20; y < end; y += step) sum += step * 2 * M_PI * std::exp(2 * y + density.log_at(std::exp(y)));
    EXPECT_NEAR(sum, 1, 2e-6);
  }
}

// Numbers of the Hankel transform of exp(-k^alpha) by tanh-sinh quadrature with 40 digits, where a normal law in the
// middle turns into a tail that falls like a power.
TEST(AlphaMf, DensityOfStableNumbersWhereTheirTailBegins) {
  constexpr double r[] = {0.3, 2, 5, 6.5, 8, 9.5, 12, 20};
  struct Known {
    double alpha, error, log_g[8];
  };
  for (const Known& known : {Known{1.2,
                                   1e-6,
                                   {-2.19080260071, -4.05190888136, -6.78744956764, -7.63993066485, -8.31686295007,
                                    -8.87688922264, -9.63683398613, -11.2916914575}},
                             {1.89,
                              1e-6,
                              {-2.52981016313, -3.57396787852, -7.96717030902, -9.57390934888, -10.5819735827,
                               -11.342898451, -12.3284024187, -14.3933853987}},
                             {1.98,
                              1e-6,
                              {-2.54954632314, -3.53831495121, -8.56786990901, -11.1642273134, -12.3540177303,
                               -13.1437283853, -14.1552309672, -16.2672802506}},
                             {1.999,
                              1e-6,
                              {-2.55332862746, -3.53138365464, -8.76912161056, -12.8362592229, -15.3261541518,
                               -16.1606773959, -17.1775474343, -19.2993031352}},
                             {1.99999,
                              1e-5,
                              {-2.55352229246, -3.53102783841, -8.78090446727, -13.0905951081, -18.3188798933,
                               -20.7539738045, -21.7841104748, -23.9063697648}}}) {
    SCOPED_TRACE(known.alpha);
    const IsotropicStableDensity density(known.alpha);
    for (std::size_t i = 0; i < std::size(r); ++i)
      EXPECT_NEAR(density.log_at(r[i]), known.log_g[i], known.error) << r[i];
  }
}

TEST(AlphaMf, HeldOutEntries) {
  Intensities data = test::some_intensities(6, 5);
  const Mat whole = data.squares;
  data.squares(2, 2) = NAN;
  const HeldOutEntries held = hold_out(data, 0.2, 9);
  ASSERT_EQ(held.places.size(), 6U);  // of 29
  for (std::size_t e = 0; e < held.places.size(); ++e) {
    EXPECT_EQ(held.squares[e], whole.data()[held.places[e]]);
    EXPECT_TRUE(std::isnan(data.squares.data()[held.places[e]]));
  }
  AlphaMixture model(data, {{.alpha = 1, .rank = 2}}, {.held_out = held});
  EXPECT_EQ(model.terms(), 23);
  Vec values(model.layout().size());
  for (const std::uint64_t seed : {1, 2, 3}) {
    const Vec x = start_of(model, seed);
    const Mat l = Eigen::Map<const Mat>(x.data(), 2, 6).transpose() * Eigen::Map<const Mat>(x.data() + 12, 2, 5);
    double mean = 0;
    for (Index e = 0; e < 6; ++e) {
      const double sigma = l.data()[held.places[at(e)]];
      mean += std::log(sigma / (2 * M_PI * std::pow(sigma * sigma + held.squares[at(e)], 1.5))) / 6;
    }
    model.constrain(x, values, Rng(1));
    EXPECT_NEAR(values[1], mean, 1e-6);
  }
  Intensities all = test::some_intensities();
  EXPECT_NE(test::error_message<UsageError>([&] { hold_out(all, 0.01, 1); }).find("take one"), std::string::npos);
}

TEST(AlphaMf, RefusesWhatHasNoMeaning) {
  const auto refusal = [](const Intensities& data, const AlphaSource& source) {
    return test::error_message<std::runtime_error>([&] { AlphaMixture(data, {source}, {}); });
  };
  const Intensities good = test::some_intensities();
  EXPECT_NE(refusal(good, {.alpha = 2.1}).find("alpha must be from 0.1 to 2"), std::string::npos);
  EXPECT_NE(refusal(good, {.rank = 0}).find("rank must be at least 1"), std::string::npos);
  EXPECT_NE(refusal(good, {.w = {1, 1, 0}}).find("power of a prior must be 0.1 or more"), std::string::npos);
  EXPECT_NE(refusal(good, {.h = {1, 1, -1e-300}}).find("power of a prior must be 0.1 or more"), std::string::npos);
  EXPECT_NE(refusal(good, {.rank = 2, .dictionary = Mat::Ones(2, 2)}).find("the dictionary is 2 x 2"),
            std::string::npos);
  EXPECT_NE(refusal(good, {.rank = 2, .dictionary = -Mat::Ones(3, 2)}).find("not negative"), std::string::npos);
  EXPECT_NE(refusal({Mat(0, 0), "x.npy"}, {}).find("x.npy: the matrix is empty"), std::string::npos);
  EXPECT_NE(refusal({Mat::Constant(2, 2, NAN)}, {}).find("no entry"), std::string::npos);
  EXPECT_NE(refusal({Mat::Zero(2, 2)}, {}).find("all entries are 0"), std::string::npos);
  EXPECT_NE(refusal({Mat{{1, INFINITY}}}, {}).find("row 1, column 2"), std::string::npos);
}

}  // namespace
}  // namespace quasar
