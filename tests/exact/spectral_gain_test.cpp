// Plain filters: their formulas by hand, and what they do to noise alone and to silence.
#include "audio/spectral_gain.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace quasar {
namespace {

const Mat squares{{1, 4, 100, 0}, {4, 4, 0.01, 16}};  // two bins, four frames; the first two are noise

TEST(SpectralGain, SubtractsTheMeanSize) {  // 1.5 and 2
  const Mat expected{{0.02, 0.25, 0.85, 0.02}, {0.02, 0.02, 0.02, 0.5}};
  EXPECT_LT((spectral_subtraction(squares, 2) - expected).norm(), 1e-15);
}

TEST(SpectralGain, WienerSubtractsTheMeanSquare) {  // 2.5 and 4
  const Mat expected{{0, 0.375, 0.975, 0}, {0, 0, 0, 0.75}};
  EXPECT_LT((wiener_gain(squares, 2) - expected).norm(), 1e-15);
}

TEST(SpectralGain, DecisionDirectedLooksBack) {
  const Mat gain = decision_directed_gain(squares, 2, 0.5);
  const double least = std::pow(10, -2.5);
  EXPECT_NEAR(gain(0, 0), least / (1 + least), 1e-15);
  const double speech = gain(0, 0) * gain(0, 0), ratio = 0.5 * speech / 2.5 + 0.5 * (4 / 2.5 - 1);
  EXPECT_NEAR(gain(0, 1), ratio / (1 + ratio), 1e-15);
}

TEST(SpectralGain, StaysBetweenNothingAndAll) {
  for (const Mat& all : {squares, Mat(Mat::Zero(2, 3)), Mat(Mat::Constant(1, 1, 5.0))}) {
    for (const Index quiet : {1, 10}) {
      for (const Mat& gain :
           {spectral_subtraction(all, quiet), wiener_gain(all, quiet), decision_directed_gain(all, quiet)}) {
        EXPECT_TRUE((gain.array() >= 0).all() && (gain.array() <= 1).all()) << gain;
      }
    }
  }
}

}  // namespace
}  // namespace quasar
