// Scores of separated sounds: mir_eval's numbers, and what their definitions promise.
#include "audio/separation_scores.hpp"

#include <Eigen/QR>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>

#include <quasar/errors.hpp>

#include "oracle/data/separation_reference.hpp"
#include "support/error_message.hpp"
#include "support/made_sounds.hpp"

namespace quasar {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kInf = std::numeric_limits<double>::infinity();

TEST(SeparationScores, AreThoseOfMirEval) {
  constexpr double dB =
      1e-9;  // two ways to solve equations whose condition number, times rounding errors, reaches this
  for (const reference::SeparationCase& one : reference::kSeparationCases) {
    const Mat sources = test::made_sources(std::ssize(one.scores), one.samples, one.pole);
    SeparationScorer scorer(sources);
    for (Index j = 0; j < sources.cols(); ++j) {
      SCOPED_TRACE(testing::Message() << "pole " << one.pole << ", source " << j);
      const reference::KnownScores& known = one.scores[static_cast<std::size_t>(j)];
      const Vec estimate = test::made_estimate(sources, j);
      ASSERT_NEAR(estimate.squaredNorm(), known.energy, 1e-12 * known.energy);
      const SeparationScores found = scorer.score(estimate, j);
      EXPECT_NEAR(found.sdr, known.sdr, dB);
      if (std::isinf(known.sir)) {
        EXPECT_EQ(found.sir, known.sir);
      } else {
        EXPECT_NEAR(found.sir, known.sir, dB);
      }
      EXPECT_NEAR(found.sar, known.sar, dB);
      EXPECT_NEAR(scale_invariant_sdr(sources.col(j), estimate), known.scale_invariant_sdr, 1e-10);
      EXPECT_NEAR(segmental_snr(sources.col(j), estimate, reference::kSeparationRate), known.segmental_snr, 1e-10);
    }
  }
}

// The definition without correlations, transforms or normal equations: delayed sources as columns, and their QR.
TEST(SeparationScores, AreThoseOfTheDefinition) {
  constexpr Index samples = 90, taps = 7;
  const Mat sources = test::made_sources(2, samples, 0.4);
  Mat delayed = Mat::Zero(samples + taps - 1, 2 * taps);
  for (Index i = 0; i < 2; ++i) {
    for (Index delay = 0; delay < taps; ++delay) delayed.col(i * taps + delay).segment(delay, samples) = sources.col(i);
  }
  SeparationScorer scorer(sources, taps);
  for (Index j = 0; j < 2; ++j) {
    Vec estimate = Vec::Zero(samples + taps - 1);
    estimate.head(samples) = test::made_estimate(sources, j);
    const Mat own = delayed.middleCols(j * taps, taps);
    const Vec target = own * own.householderQr().solve(estimate);
    const Vec interference = delayed * delayed.householderQr().solve(estimate) - target;
    const Vec artifacts = estimate - target - interference;
    const SeparationScores found = scorer.score(estimate.head(samples), j);
    const auto db = [](const Vec& signal, const Vec& noise) {
      return 10 * std::log10(signal.squaredNorm() / noise.squaredNorm());
    };
    EXPECT_NEAR(found.sdr, db(target, interference + artifacts), 1e-9);
    EXPECT_NEAR(found.sir, db(target, interference), 1e-9);
    EXPECT_NEAR(found.sar, db(target + interference, artifacts), 1e-9);
  }
}

TEST(SeparationScores, AFilterOfTheSourceCostsNothing) {
  Mat sources = test::made_sources(2, 2000, 0.5);
  sources.bottomRows(15).setZero();  // so that the filtered source ends with the samples
  Vec filtered = -2 * sources.col(0);
  filtered.tail(1985) += 0.7 * sources.col(0).head(1985);
  SeparationScorer scorer(sources, 16);
  const SeparationScores found = scorer.score(filtered, 0);
  for (const double score : {found.sdr, found.sir, found.sar}) EXPECT_GT(score, 250);
  EXPECT_LT(scorer.score(Vec(sources.col(1)), 0).sdr, 0);  // the other source is no estimate of this one
}

TEST(SeparationScores, ScaleDoesNotMatter) {
  const Mat sources = test::made_sources(2, 1500, 0.3);
  const Vec estimate = test::made_estimate(sources, 1);
  SeparationScorer scorer(sources, 32), of_quiet(sources * 1e-6, 32);
  const SeparationScores found = scorer.score(estimate, 1), louder = of_quiet.score(-1e5 * estimate, 1);
  EXPECT_NEAR(found.sdr, louder.sdr, 1e-9);
  EXPECT_NEAR(found.sir, louder.sir, 1e-9);
  EXPECT_NEAR(found.sar, louder.sar, 1e-9);
  EXPECT_NEAR(scale_invariant_sdr(sources.col(1), estimate), scale_invariant_sdr(sources.col(1), -3 * estimate), 1e-10);
}

TEST(SeparationScores, SoundsWhoseSquaresAreNoNumbers) {
  const Mat sources = test::made_sources(2, 1500, 0.3);
  const Vec estimate = test::made_estimate(sources, 1);
  const SeparationScores expected = SeparationScorer(sources, 32).score(estimate, 1);
  const double segments = segmental_snr(sources.col(1), estimate, 16000);
  for (const double loudness : {1e250, 1e-250}) {
    const Mat odd = loudness * sources;
    const SeparationScores found = SeparationScorer(odd, 32).score(loudness * estimate, 1);
    EXPECT_NEAR(found.sdr, expected.sdr, 1e-9);
    EXPECT_NEAR(found.sir, expected.sir, 1e-9);
    EXPECT_NEAR(found.sar, expected.sar, 1e-9);
    EXPECT_NEAR(scale_invariant_sdr(odd.col(1), loudness * estimate), scale_invariant_sdr(sources.col(1), estimate),
                1e-9);
    EXPECT_NEAR(segmental_snr(odd.col(1), loudness * estimate, 16000), segments, 1e-9);
  }
  const Vec spike = 1e250 * Vec::Unit(1500, 3);  // in the first of nine frames alone
  EXPECT_EQ(segmental_snr(sources.col(1), sources.col(1) + spike, 16000), (8 * 35.0 - 10) / 9);
}

// The equations are singular; the projections are defined all the same.
TEST(SeparationScores, SourcesThatAreDelaysOfEachOther) {
  Mat sources = Mat::Zero(3000, 2);
  sources.col(0).head(2900) = test::made_source(5, 2900, 0.2);
  sources.col(1).segment(1, 2900) = sources.col(0).head(2900);
  SeparationScorer scorer(sources, 8), alone(sources.col(0), 9);
  const Vec estimate = sources.col(0) + 0.1 * test::lehmer_noise(3, 3000);
  EXPECT_NEAR(scorer.score(estimate, 0).sar, alone.score(estimate, 0).sar, 1e-4);
}

TEST(SeparationScores, SoundsWithoutHighFrequencies) {
  const Mat sources = test::made_sources(2, 20000, 0.9999);
  SeparationScorer scorer(sources);
  const SeparationScores found = scorer.score(test::made_estimate(sources, 0), 0);
  for (const double score : {found.sdr, found.sir, found.sar}) EXPECT_TRUE(std::isfinite(score)) << score;
}

TEST(SeparationScores, RefusedSounds) {
  Mat sources = test::made_sources(2, 100, 0.2);
  SeparationScorer scorer(sources, 4);
  const auto message = [&](const Vec& estimate) {
    return test::error_message<DataError>([&] { scorer.score(estimate, 0); });
  };
  EXPECT_EQ(message(Vec::Zero(100)), "the estimate is silent: ratios to silence are not defined");
  EXPECT_EQ(message(Vec::Ones(99)), "the sources have 100 samples, the estimate 99");
  Vec broken = Vec::Ones(100);
  broken[41] = kNaN;
  EXPECT_EQ(message(broken), "the estimate: sample 42 is nan");
  EXPECT_THROW(scorer.score(Vec::Ones(100), 2), UsageError);
  EXPECT_THROW(scorer.score(Vec::Ones(100), -1), UsageError);

  const auto refusal = [](const Mat& of, Index taps) {
    return test::error_message<DataError>([&] { SeparationScorer(of, taps); });
  };
  EXPECT_NE(refusal(sources, 51).find("100 samples of 2 sources are too few for filters of 51 taps; 102"),
            std::string::npos);
  EXPECT_NO_THROW(SeparationScorer(sources, 50));
  EXPECT_THROW(SeparationScorer(Mat(100, 0), 4), UsageError);
  EXPECT_THROW(SeparationScorer(sources, 0), UsageError);
  EXPECT_EQ(refusal(Mat(0, 1), 4), "source 1 has no samples");
  sources(7, 1) = -kInf;
  EXPECT_EQ(refusal(sources, 4), "source 2: sample 8 is -inf");
  sources.col(1).setZero();
  EXPECT_EQ(refusal(sources, 4), "source 2 is silent: ratios to silence are not defined");
}

TEST(ScaleInvariantSdr, KnownValues) {
  const Vec reference{{1, 0, 1, 0}}, estimate{{2, 0.2, 2, -0.2}};  // twice the reference and an error beside it
  EXPECT_NEAR(scale_invariant_sdr(reference, estimate), 10 * std::log10(8 / 0.08), 1e-12);
  EXPECT_EQ(scale_invariant_sdr(reference, 4 * reference), kInf);
  EXPECT_EQ(scale_invariant_sdr(reference, Vec{{0, 1, 0, 1}}), -kInf);
  EXPECT_THROW(scale_invariant_sdr(reference, Vec::Zero(4)), DataError);
  EXPECT_THROW(scale_invariant_sdr(Vec::Zero(4), reference), DataError);
  EXPECT_THROW(scale_invariant_sdr(reference, Vec::Ones(3)), DataError);
  EXPECT_THROW(scale_invariant_sdr(Vec(), Vec()), DataError);
}

// Frames of 240 samples at 8 kHz, 60 apart.
TEST(SegmentalSnr, FramesAreBounded) {
  const Vec reference = test::lehmer_noise(1, 600);
  EXPECT_EQ(segmental_snr(reference, reference, 8000), 35);
  EXPECT_EQ(segmental_snr(reference, -9 * reference, 8000), -10);  // an error of 20 dB more
  EXPECT_NEAR(segmental_snr(reference, 0.9 * reference, 8000), 20, 1e-12);
  // What is behind the last whole frame does not count: 299 samples are one frame and 59 more, 300 are two.
  Vec longer = reference.head(300);
  longer.tail(60) *= -9;
  EXPECT_EQ(segmental_snr(reference.head(299), longer.head(299), 8000), 35);
  EXPECT_LT(segmental_snr(reference.head(300), longer, 8000), 30);
}

TEST(SegmentalSnr, SilentFrames) {
  Vec reference = Vec::Zero(480), estimate = Vec::Zero(480);
  reference[479] = estimate[479] = 1;  // the last of the five frames alone is not silent
  EXPECT_EQ(segmental_snr(reference, estimate, 8000), 35);
  estimate[10] = 1e-9;  // in the first frame alone
  EXPECT_EQ(segmental_snr(reference, estimate, 8000), (4 * 35.0 - 10) / 5);
}

TEST(SegmentalSnr, RefusedSounds) {
  const Vec short_sound = Vec::Ones(239);
  EXPECT_NE(test::error_message<DataError>([&] { segmental_snr(short_sound, short_sound, 8000); }).find("30 ms"),
            std::string::npos);
  EXPECT_EQ(segmental_snr(Vec::Ones(240), Vec::Ones(240), 8000), 35);
  EXPECT_THROW(segmental_snr(Vec::Ones(240), Vec::Ones(240), 0), UsageError);
  EXPECT_THROW(segmental_snr(Vec::Ones(240), Vec::Ones(240), 1), DataError);  // a frame of no samples
  EXPECT_THROW(segmental_snr(Vec::Ones(240), Vec::Ones(241), 8000), DataError);
}

}  // namespace
}  // namespace quasar
