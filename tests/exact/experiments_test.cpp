// What the experiments are made of: the digits' posterior, and draws seen along directions.
#include <gtest/gtest.h>

#include <cmath>

#include <quasar/check_gradient.hpp>
#include <quasar/diagnostics.hpp>
#include <quasar/errors.hpp>

#include "diagnostics/projections.hpp"
#include "experiments/digits.hpp"

namespace quasar {
namespace {

std::shared_ptr<const Digits> three_images() {
  Mat pixels(3, 2);
  pixels << 1, 2, -1, 0.5, 0.5, -1.5;
  return std::make_shared<const Digits>(Digits{pixels.sparseView(), Vec{{1, 0, 1}}});
}

// U and its gradient by an independent implementation.
TEST(Digits, PosteriorAgreesWithKnownValues) {
  DigitsPosterior target(three_images(), 10);
  Vec grad(2);
  const double u = -target.logp_grad(Vec{{0.3, -0.2}}, grad).logp;
  EXPECT_NEAR(u, 1.751310858471, 1e-12);
  EXPECT_NEAR(-grad[0], -1.1179719104, 1e-10);
  EXPECT_NEAR(-grad[1], -0.2672610559, 1e-10);
}

TEST(Digits, GradientBelongsToTheDensity) {
  DigitsPosterior target(three_images(), 2);
  const GradientCheck check = check_gradient_at_random(target, Rng(3), 5);
  EXPECT_TRUE(check.ok) << check.message;
}

TEST(Digits, LargeInputsDoNotOverflow) {
  DigitsPosterior target(three_images(), 1e3);
  Vec grad(2);
  EXPECT_TRUE(std::isfinite(target.logp_grad(Vec{{1e4, -1e4}}, grad).logp));
  EXPECT_TRUE(grad.allFinite());
}

TEST(Digits, SayWhatTheyNeed) {
  EXPECT_THROW(read_digits("", "train", 7, 9), UsageError);
  EXPECT_THROW(read_digits("/nowhere", "train", 7, 9), DataError);
}

TEST(Projections, TheSlowestDirectionCounts) {
  constexpr Index draws = 4000;
  std::vector<ChainDraws> chains(2);
  for (std::size_t c = 0; c < 2; ++c) {  // (a - b, a + b) with a white and b slow
    Stream stream = Rng(5, c).stream("draws");
    double slow = 0;
    for (Index i = 0; i < draws; ++i) {
      const double white = 3 * stream.normal();
      slow = 0.9 * slow + std::sqrt(1 - 0.81) * stream.normal();
      chains[c].append(std::vector<double>{white - slow, white + slow}, {});
    }
  }
  const Mat axes = Mat::Identity(2, 2);
  Mat mixtures(2, 2);
  mixtures << 1, -1, 1, 1;
  const auto along = projected(chains, mixtures);
  EXPECT_NEAR(sd(along[0]), 6, 0.3);
  EXPECT_NEAR(sd(along[1]), 2, 0.3);
  EXPECT_EQ(least_ess(chains, mixtures), ess_mean(along[1]));
  EXPECT_LT(least_ess(chains, mixtures), 0.2 * least_ess(chains, axes));
}

TEST(Projections, AChainThatStandsHasNoEffectiveDraws) {
  std::vector<ChainDraws> chains(1);
  for (int i = 0; i < 100; ++i) chains[0].append(std::vector<double>{1, 2}, {});
  EXPECT_EQ(least_ess(chains, Mat::Identity(2, 2)), 0);
  chains[0].append(std::vector<double>{1, std::nan("")}, {});
  EXPECT_EQ(least_ess(chains, Mat::Identity(2, 2)), 0);
}

}  // namespace
}  // namespace quasar
