// The short-time Fourier transform: against its definition, back to the signal, and nearest to what is no transform.
#include "audio/stft.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <numbers>
#include <string>
#include <thread>
#include <vector>

#include <quasar/errors.hpp>

#include "support/allocations.hpp"
#include "support/error_message.hpp"
#include "support/made_sounds.hpp"

namespace quasar {
namespace {

using CMat = Eigen::MatrixXcd;
constexpr double kTau = 2 * std::numbers::pi;

double window_at(Window window, Index n, Index frame) {
  const double root = std::sin(std::numbers::pi * static_cast<double>(n) / static_cast<double>(frame));
  return window == Window::rectangular ? 1 : window == Window::hann ? root * root : root;
}

// As the header defines it, sum by sum; j = 0 is the first frame that reaches the signal.
CMat transform_by_definition(const Vec& x, const StftSettings& s) {
  Index first = 0;
  while ((first - 1) * s.hop + s.frame - 1 >= 0) --first;
  Index last = 0;
  while ((last + 1) * s.hop <= x.size() - 1) ++last;
  CMat result = CMat::Zero(s.frame / 2 + 1, last - first + 1);
  for (Index j = 0; j < result.cols(); ++j) {
    for (Index k = 0; k < result.rows(); ++k) {
      for (Index n = 0; n < s.frame; ++n) {
        const Index t = (first + j) * s.hop + n;
        if (t < 0 || t >= x.size()) continue;
        const double angle = -kTau * static_cast<double>(k * n % s.frame) / static_cast<double>(s.frame);
        result(k, j) += window_at(s.window, n, s.frame) * x[t] * std::polar(1.0, angle);
      }
    }
  }
  return result;
}

// <a, b> over all bins of a frame: those between the first and the middle one count twice, for their conjugates.
double inner(const CMat& a, const CMat& b, Index frame) {
  double sum = 0;
  for (Index k = 0; k < a.rows(); ++k) {
    const double times = k == 0 || 2 * k == frame ? 1 : 2;
    sum += times * a.row(k).conjugate().cwiseProduct(b.row(k)).sum().real();
  }
  return sum;
}

CMat made_matrix(Index rows, Index cols) {
  CMat result(rows, cols);
  const Vec numbers = test::lehmer_noise(77, 2 * rows * cols);
  for (Index i = 0; i < result.size(); ++i) result.data()[i] = {numbers[2 * i], numbers[2 * i + 1]};
  return result;
}

// Even, odd, prime and small frames; hops that divide them and hops that do not.
const std::vector<StftSettings> kSettings = {{16, 8},
                                             {16, 4, Window::hann},
                                             {16, 7},
                                             {16, 1},
                                             {15, 7},
                                             {17, 5, Window::hann},
                                             {13, 13, Window::rectangular},
                                             {2, 1},
                                             {3, 2},
                                             {64, 50},
                                             {12, 11, Window::rectangular},
                                             {1, 1, Window::rectangular},
                                             {7, 3},
                                             {100, 30}};
const std::vector<Index> kLengths = {1, 2, 3, 7, 15, 16, 17, 31, 32, 33, 50, 199};

TEST(RealFft, ForwardAndBackward) {
  for (const Index size : {1, 2, 3, 8, 30, 31, 1024}) {
    RealFft fft(size);
    const Vec x = test::lehmer_noise(size, size);
    fft.samples() = x;
    fft.forward();
    EXPECT_NEAR(std::abs(fft.spectrum()[0] - x.sum()), 0, 1e-12);
    RealFft moved = std::move(fft);
    moved.backward();
    EXPECT_LT((moved.samples() / static_cast<double>(size) - x).cwiseAbs().maxCoeff(), 1e-14);
  }
  EXPECT_THROW(RealFft(0), UsageError);
  EXPECT_THROW(RealFft(-1), UsageError);
  EXPECT_THROW(RealFft(Index{1} << 40), UsageError);
}

TEST(Stft, IsItsDefinition) {
  for (const StftSettings& settings : kSettings) {
    for (const Index samples : kLengths) {
      SCOPED_TRACE(testing::Message() << settings.frame << "/" << settings.hop << ", " << samples << " samples");
      Stft stft(settings);
      const Vec x = test::lehmer_noise(samples, samples);
      const CMat expected = transform_by_definition(x, settings), found = stft.transform(x);
      ASSERT_EQ(found.rows(), stft.bins());
      ASSERT_EQ(found.cols(), stft.frames(samples));
      ASSERT_EQ(found.cols(), expected.cols());
      EXPECT_LT((found - expected).cwiseAbs().maxCoeff(), 1e-12);
    }
  }
}

TEST(Stft, ItsInverseGivesEverySampleBack) {
  for (const StftSettings& settings : kSettings) {
    for (const Index samples : kLengths) {
      SCOPED_TRACE(testing::Message() << settings.frame << "/" << settings.hop << ", " << samples << " samples");
      Stft stft(settings);
      const Vec x = test::lehmer_noise(3 + samples, samples);
      EXPECT_LT((stft.inverse(stft.transform(x), samples) - x).cwiseAbs().maxCoeff(), 1e-12);
    }
  }
  Stft stft(StftSettings{});
  for (const Index samples : {1, 1000, 16001}) {
    const Vec x = 1000 * test::lehmer_noise(9, samples);
    EXPECT_LT((stft.inverse(stft.transform(x), samples) - x).cwiseAbs().maxCoeff(), 1e-12 * 1000);
  }
}

TEST(Stft, IsLinear) {
  Stft stft({.frame = 32, .hop = 12});
  const Vec x = test::lehmer_noise(4, 333), y = test::lehmer_noise(5, 333);
  EXPECT_LT((stft.transform(2 * x - 3 * y) - (2 * stft.transform(x) - 3 * stft.transform(y))).cwiseAbs().maxCoeff(),
            1e-12);
}

// Parseval: windows whose squares add up to 1 keep the energy, at the ends too.
TEST(Stft, KeepsTheEnergy) {
  for (const Index samples : {1, 5, 40, 333}) {
    const Vec x = test::lehmer_noise(8, samples);
    for (const Index hop : {16, 8}) {  // with half the hop there is twice the energy
      Stft stft({.frame = 32, .hop = hop});
      const CMat transform = stft.transform(x);
      EXPECT_NEAR(inner(transform, transform, 32) / 32, x.squaredNorm() * 16 / static_cast<double>(hop), 1e-11);
    }
  }
}

TEST(Stft, WhiteNoiseHasTheSameSizeInEveryBin) {  // |X|^2 = N/2 for a unit impulse at the middle of a window
  Stft stft({.frame = 8, .hop = 4});
  Vec x = Vec::Zero(9);
  x[4] = 1;
  const CMat transform = stft.transform(x);
  EXPECT_NEAR(stft.window().squaredNorm(), 4, 1e-14);
  for (Index k = 0; k < transform.rows(); ++k) EXPECT_NEAR(transform.row(k).squaredNorm(), 1, 1e-14);
}

// Griffin and Lim: what is left of Y is orthogonal to the transform of every signal, so none is nearer.
TEST(Stft, ItsInverseIsTheNearestSignal) {
  for (const StftSettings& settings : kSettings) {
    SCOPED_TRACE(testing::Message() << settings.frame << "/" << settings.hop);
    constexpr Index samples = 40;
    Stft stft(settings);
    const CMat y = made_matrix(stft.bins(), stft.frames(samples));
    const CMat left = y - stft.transform(stft.inverse(y, samples));
    for (Index t = 0; t < samples; ++t) {
      const CMat direction = stft.transform(Vec::Unit(samples, t));
      EXPECT_NEAR(inner(left, direction, settings.frame), 0, 1e-10);
    }
  }
}

TEST(Stft, AnyMatrixButItsOwnSizeIsRefused) {
  Stft stft({.frame = 16, .hop = 8});
  const CMat good = stft.transform(Vec::Ones(20));
  EXPECT_THROW(stft.inverse(good, 0), UsageError);
  EXPECT_THROW(stft.inverse(good, 17 + 16), UsageError);
  EXPECT_THROW(stft.inverse(good.topRows(8), 20), UsageError);
  EXPECT_THROW(stft.inverse(CMat(9, 0), 20), UsageError);
  EXPECT_THROW(stft.transform(Vec()), UsageError);
}

TEST(Stft, SettingsThatLeaveSamplesUncoveredAreRefused) {
  const auto message = [](const StftSettings& settings) {
    return test::error_message<UsageError>([&] { Stft{settings}; });
  };
  EXPECT_NE(message({16, 16}).find("leave samples uncovered between their windows; a hop of 8"), std::string::npos);
  EXPECT_NE(message({1024, 1023}).find("uncovered"), std::string::npos);  // not quite, but nearly
  EXPECT_NE(message({1, 1}).find("uncovered"), std::string::npos);
  EXPECT_NE(message({16, 17}).find("a hop of 17 samples: 1 to 16"), std::string::npos);
  EXPECT_NE(message({16, 17, Window::rectangular}).find("a hop of 17"), std::string::npos);
  EXPECT_NE(message({16, 0}).find("a hop of 0"), std::string::npos);
  EXPECT_NE(message({16, -4}).find("a hop of -4"), std::string::npos);
  EXPECT_NE(message({0, 1}).find("a frame of 0"), std::string::npos);
  EXPECT_NE(message({-3, 1}).find("a frame of -3"), std::string::npos);
  EXPECT_NE(message({Index{1} << 40, 1}).find("a frame of 1099511627776"), std::string::npos);
}

TEST(Stft, ALongerSignalTakesNoMoreAllocations) {
  Stft stft(StftSettings{});
  const auto count = [&](Index samples) {
    const Vec x = Vec::Ones(samples);
    const long before = test::allocation_count;
    const Vec back = stft.inverse(stft.transform(x), samples);
    return test::allocation_count - before;
  };
  EXPECT_EQ(count(100), count(20000));
}

TEST(Stft, ObjectsOfSeveralThreads) {
  const Vec x = test::lehmer_noise(6, 5000);
  Stft one(StftSettings{});
  const CMat expected = one.transform(x);
  std::vector<CMat> found(4);
  {
    std::vector<std::jthread> threads;
    for (CMat& result : found) {
      threads.emplace_back([&result, &x] {
        for (int again = 0; again < 20; ++again) result = Stft(StftSettings{}).transform(x);
      });
    }
  }
  for (const CMat& result : found) EXPECT_EQ(result, expected);  // bit for bit
}

}  // namespace
}  // namespace quasar
