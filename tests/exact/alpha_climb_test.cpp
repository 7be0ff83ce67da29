// Uphill moves of alpha-stable factorizations: no move lowers the density of what was seen given Phi, and they end
// where its slope does.
#include <gtest/gtest.h>

#include <cmath>

#include "models/alpha/uphill_round.hpp"
#include "support/alpha_mixtures.hpp"

namespace quasar {
namespace {

using Factor = AlphaMixture::Factor;

// log p(x | W, H, Phi).
double log_likelihood(AlphaMixture& model, const Vec& x) {
  Vec grad = Vec::Zero(model.dim());
  return model.add_all(x, 1, grad, Want::both).logp;
}

Intensities with_gaps() {
  Intensities data = test::some_intensities(7, 9);
  for (Index e = 3; e < data.squares.size(); e += 10) data.squares.data()[e] = NAN;
  return data;
}

TEST(AlphaClimb, NoMoveLowersTheLikelihood) {
  for (const Intensities& data : {test::some_intensities(7, 9), with_gaps()}) {
    for (const test::AlphaKind& kind : test::alpha_kinds) {
      AlphaMixture model = test::alpha_mixture(kind, data);
      for (std::uint64_t seed = 0; seed < 20; ++seed) {
        Vec x(model.dim());
        draw_uphill_start(model, x, Rng(seed));
        double before = log_likelihood(model, x);
        for (int move = 0; move < 10; ++move) {
          model.climb(move % 2 == 0 ? Factor::h : Factor::w, x);
          const double after = log_likelihood(model, x);
          EXPECT_GE(after, before - 1e-10 * std::abs(before)) << kind.name() << ", seed " << seed << ", move " << move;
          before = after;
        }
      }
    }
  }
}

// With one source whose W is given each column of H has a problem of its own; where moves have come to an end the
// likelihood is level: d/dh = 0 for h that did not go to 0.
TEST(AlphaClimb, EndsWhereTheSlopeDoes) {
  AlphaMixture model = test::alpha_mixture({1, true, true}, test::some_intensities(7, 9));
  Vec x(model.dim()), grad = Vec::Zero(model.dim());
  draw_uphill_start(model, x, Rng(3));
  for (int move = 0; move < 5000; ++move) model.climb(Factor::h, x);
  model.add_all(x, 1, grad, Want::gradient);
  for (Index k = 0; k < model.moving(); ++k) EXPECT_LT(std::abs(grad[k]), 1e-6) << k;
}

TEST(AlphaClimb, BothCoordinatesMoveAlike) {
  for (const Index sources : {1, 2}) {
    AlphaMixture natural = test::alpha_mixture({sources, false, false}),
                 logarithms = test::alpha_mixture({sources, false, true});
    Vec x(natural.dim());
    draw_uphill_start(natural, x, Rng(1));
    Vec y = x;
    y.head(natural.moving()) = x.head(natural.moving()).array().log().matrix();
    for (const Factor which : {Factor::w, Factor::h, Factor::h}) {
      natural.climb(which, x);
      logarithms.climb(which, y);
    }
    EXPECT_LT((y.head(natural.moving()).array().exp().matrix() - x.head(natural.moving())).norm(), 1e-12 * x.norm());
    EXPECT_EQ(y.tail(natural.dim() - natural.moving()), x.tail(natural.dim() - natural.moving()));
  }
}

// alpha = 2 is the factorization of Itakura and Saito: with Phi = 2 the power of the rule is 1/2.
TEST(AlphaClimb, IsTheRuleOfItakuraAndSaito) {
  const Mat squares{{1, 4, 2}, {0.25, 9, 3}}, w{{1, 0.5}, {0.2, 2}}, h{{0.3, 1, 0.7}, {2, 0.4, 1.1}};
  AlphaMixture model({squares}, {{.alpha = 2, .rank = 2}}, {});
  Vec x(model.dim());
  x << w.transpose().reshaped(), h.reshaped();
  model.climb(Factor::h, x);
  const Mat l = w * h, data = squares / 4;  // |x|^2 = 2 v, v = 2 L
  const Mat ratio = (w.transpose() * data.cwiseQuotient(l.cwiseAbs2())).cwiseQuotient(w.transpose() * l.cwiseInverse());
  EXPECT_LT((x.tail(6) - h.cwiseProduct(ratio.cwiseSqrt()).reshaped()).norm(), 1e-14);
}

TEST(AlphaClimb, GoesFromNothingToSomething) {  // floors keep zeros from staying zeros for ever
  AlphaMixture model({Mat::Constant(2, 2, 1.0)}, {{.alpha = 1.2, .rank = 1}}, {});
  Vec x = Vec::Constant(model.dim(), 1e-12);
  x.tail(model.dim() - model.moving()).setZero();
  for (int move = 0; move < 100; ++move) model.climb(move % 2 == 0 ? Factor::h : Factor::w, x);
  EXPECT_TRUE(x.allFinite());
  EXPECT_GT(x.head(2).mean() * x.segment(2, 2).mean(), 0.01);
}

}  // namespace
}  // namespace quasar
