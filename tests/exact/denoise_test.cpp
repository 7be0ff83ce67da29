// Cleaning without statistics: what is promised by the model itself, pauses, levels, and what is refused before work.
#include "speech/denoise.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <numbers>
#include <string>
#include <vector>

#include <quasar/errors.hpp>
#include <quasar/registry.hpp>

#include "models/alpha/alpha_mixture.hpp"
#include "speech/denoising_target.hpp"
#include "speech/sound_plane.hpp"
#include "support/error_message.hpp"
#include "support/made_sounds.hpp"

namespace quasar {
namespace {

constexpr int rate = 8000;
constexpr Index length = 3000;

Vec made_voice() {
  Vec samples(length);
  for (Index n = 0; n < length; ++n) {
    const double t = static_cast<double>(n), pitch = 0.05 + 0.03 * static_cast<double>(n / 700 % 3);
    samples[n] = 0.05 * std::sin(std::numbers::pi * pitch * t) + 0.03 * std::sin(std::numbers::pi * 3 * pitch * t);
  }
  return samples;
}

Vec made_noisy() { return made_voice() + 0.02 * test::lehmer_noise(5, length); }

SpeechModel learn(const Vec& samples) {
  const std::vector<Clip> clips{{"voice", samples}};
  const Settings settings{{"frame", "64"}, {"hop", "16"}, {"components", "4"}, {"rounds", "20"}};
  return learn_speech(clips, rate, Config("denoise train", speech_training_params(), settings), {});
}

const SpeechModel& voice() {
  static const SpeechModel learned = learn(made_voice());
  return learned;
}

Config settings_of(Settings settings) {
  settings.insert({"rounds", "15"});
  return {"denoise run", denoise_params(), settings};
}

Denoised cleaned(const Vec& samples, const Settings& settings, const DenoiseProgress& progress = {}) {
  return denoise(samples, rate, voice(), settings_of(settings), progress);
}

double rms_of(const Vec& samples) { return std::sqrt(samples.squaredNorm() / static_cast<double>(samples.size())); }

Mat squares_of_sound(const Vec& samples, Mat* plain = nullptr) {
  Stft stft(stft_settings(voice().plane));
  const Eigen::MatrixXcd transform = stft.transform(samples);
  if (plain) *plain = transform.cwiseAbs2();
  return squares_of(transform, rms_of(samples));
}

void expect_near(const Mat& found, const Mat& expected, const char* what) {
  ASSERT_EQ(found.rows(), expected.rows());
  ASSERT_EQ(found.cols(), expected.cols());
  EXPECT_LT((found - expected).norm(), 1e-9 * expected.norm()) << what;
}

// Given W, H and Phi, E s = g x, and real and imaginary part of s vary by g (1 - g) v each, in units of the rms.
TEST(Denoise, SpreadOfOneDrawByItsFormula) {
  const Vec noisy = made_noisy();
  const Config config = settings_of({{"iterations", "0"}});
  Mat plain;
  const Mat squares = squares_of_sound(noisy, &plain);
  DenoisingStart start = denoising_start(squares, voice(), config, Rng(1).child("uphill"));
  SourceVariances at_start;
  dynamic_cast<AlphaMixture&>(*start.target).variances(start.x, 0, at_start);
  const Mat g = at_start.own.cwiseQuotient(at_start.total);
  const Denoised found = denoise(noisy, rate, voice(), config, {});
  expect_near(found.noisy, plain, "noisy");
  expect_near(found.clean, g.cwiseAbs2().cwiseProduct(plain), "clean");
  const double two_squares = 2 * rms_of(noisy) * rms_of(noisy);
  const Mat spread = two_squares * (g.array() * (1 - g.array()) * at_start.total.array()).matrix();
  expect_near(found.spread, spread, "spread");
  EXPECT_NEAR(found.expected_sdr, 10 * std::log10(found.clean.sum() / spread.sum()), 1e-9);
}

struct GainsDrawn final : Sink {
  std::vector<Vec> all;
  void on_draw(const Draw& draw) override {
    all.emplace_back(Eigen::Map<const Vec>(draw.values.data(), static_cast<Index>(draw.values.size())));
  }
};

// Of several draws: Var s = E Var(s | draw) + Var E(s | draw).
TEST(Denoise, SpreadOfDrawsByTheLawOfTotalVariance) {
  const Vec noisy = made_noisy();
  const Settings settings{{"iterations", "12"}, {"average", "5"}, {"sampler_settings", "step_size=2e-3"}};
  const Config config = settings_of(settings);
  Mat plain;
  const Mat squares = squares_of_sound(noisy, &plain);
  DenoisingStart start = denoising_start(squares, voice(), config, Rng(1).child("uphill"));
  ChainSpec spec{.schedule = {.warmup = 7, .draws = 5, .thin = 1}, .seed = 1};
  spec.initial = start.x;
  const SamplerEntry& sgld = find_sampler("sgld");
  GainsDrawn drawn;
  sgld.make(std::move(start.target), Config("sgld", sgld.params, {{"step_size", "2e-3"}, {"estimator", "full"}}), spec)
      ->run_to(12, drawn, {});
  ASSERT_EQ(drawn.all.size(), 5U);
  using ByRows = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  Mat mean = Mat::Zero(squares.rows(), squares.cols()), left = mean, between = mean;
  const auto gain = [&](const Vec& draw) {
    return Mat(Eigen::Map<const ByRows>(draw.data(), mean.rows(), mean.cols()));
  };
  for (const Vec& draw : drawn.all) {
    mean += gain(draw) / 5;
    left += Mat(Eigen::Map<const ByRows>(draw.data() + mean.size(), mean.rows(), mean.cols())) / 5;
  }
  for (const Vec& draw : drawn.all) between += (gain(draw) - mean).cwiseAbs2() / 5;
  const Denoised found = denoise(noisy, rate, voice(), config, {});
  expect_near(found.clean, mean.cwiseAbs2().cwiseProduct(plain), "clean");
  const Mat of_means = between.cwiseProduct(plain);
  expect_near(found.spread, 2 * rms_of(noisy) * rms_of(noisy) * left + of_means, "spread");
  EXPECT_GT(of_means.norm(), 1e-4 * found.spread.norm());  // or it would not be tested
}

// Zeros before, of whole hops, and behind are nothing that was recorded: what is between comes out the same.
TEST(Denoise, PausesOfZerosChangeNothing) {
  const Vec noisy = made_noisy();
  const Denoised alone = cleaned(noisy, {{"iterations", "10"}});
  for (const Index zeros : {64, 1600, 16000}) {
    SCOPED_TRACE(zeros);
    Vec behind(length + zeros), before(length + zeros);
    behind << noisy, Vec::Zero(zeros);
    before << Vec::Zero(zeros), noisy;
    const Denoised early = cleaned(behind, {{"iterations", "10"}}), late = cleaned(before, {{"iterations", "10"}});
    EXPECT_LT((early.samples.head(length) - alone.samples).norm(), 1e-9 * alone.samples.norm());
    EXPECT_LT((late.samples.tail(length) - alone.samples).norm(), 1e-9 * alone.samples.norm());
    EXPECT_EQ(early.noisy.cols(), alone.noisy.cols() + zeros / 16);
    EXPECT_NEAR(early.expected_sdr, alone.expected_sdr, 1e-9);
    EXPECT_TRUE(early.samples.tail(zeros - std::min<Index>(zeros, 64)).isZero(0));
  }
}

TEST(Denoise, PausesOfZerosTeachNothing) {
  Vec longer(length + 16000);
  longer << made_voice(), Vec::Zero(16000);
  const SpeechModel learned = learn(longer);
  EXPECT_NEAR(learned.level, voice().level, 1e-12);
  EXPECT_LT((learned.dictionary - voice().dictionary).norm(), 1e-9 * voice().dictionary.norm());
  EXPECT_NEAR(learned.activations.scale, voice().activations.scale, 1e-9 * voice().activations.scale);
}

TEST(Denoise, ColumnsOfLearnedSpeechHaveMeanOne) {
  for (const double mean : voice().dictionary.colwise().mean()) EXPECT_NEAR(mean, 1, 1e-12);
}

// (h / scale)^(-2/alpha) ~ Gamma(shape), so that of shape 1 the median of h is scale (log 2)^(-alpha/2); of all shapes
// it is that of what was learned.
TEST(Denoise, TheLawOfActivationsHasTheirMedian) {
  const auto median = [](double shape, double of_gamma) {
    const std::vector<Clip> clips{{"voice", made_voice()}};
    const Settings settings{{"frame", "64"},
                            {"hop", "16"},
                            {"components", "4"},
                            {"rounds", "20"},
                            {"activation_shape", std::to_string(shape)}};
    const SpeechModel found =
        learn_speech(clips, rate, Config("denoise train", speech_training_params(), settings), {});
    return found.activations.scale * std::pow(of_gamma, -found.alpha / 2);
  };
  const double by_one = median(1, std::log(2.0));
  EXPECT_NEAR(median(0.5, 0.22746821155978637), by_one, 1e-6 * by_one);  // half the median of chi-squared, 1 degree
  EXPECT_NEAR(median(2, 1.6783469900166605), by_one, 1e-6 * by_one);
}

bool has_note(const Denoised& found, const std::string& text) {
  return std::ranges::any_of(found.notes, [&](const std::string& one) { return one.find(text) != std::string::npos; });
}

TEST(Denoise, LevelsAreTold) {
  const Settings quick{{"iterations", "0"}};
  EXPECT_TRUE(cleaned(made_noisy(), quick).notes.empty());
  EXPECT_TRUE(has_note(cleaned(1e-5 * made_noisy(), quick), "fainter than one step of 16 bits"));
  EXPECT_TRUE(has_note(cleaned(1e-5 * made_noisy(), quick), "dB below that of the speech"));
  EXPECT_TRUE(has_note(cleaned(200 * made_noisy(), quick), "dB above that of the speech"));
  EXPECT_TRUE(cleaned(0.02 * made_noisy(), quick).notes.empty());
}

// Units of 2^k far from those of sound change nothing but the units.
TEST(Denoise, UnitsOfSamples) {
  const SpeechModel faint = learn(0x1p-20 * made_voice()), loud = learn(0x1p100 * made_voice());
  EXPECT_EQ(faint.dictionary, loud.dictionary);
  EXPECT_EQ(0x1p120 * faint.level, loud.level);
  const Settings quick{{"iterations", "3"}};
  const Denoised one = cleaned(0x1p100 * made_noisy(), quick), other = cleaned(0x1p-200 * made_noisy(), quick);
  EXPECT_TRUE(one.samples.allFinite());
  EXPECT_EQ(Vec(0x1p-300 * one.samples), other.samples);
  EXPECT_NEAR(one.expected_sdr, other.expected_sdr, 1e-9);
  EXPECT_EQ(Mat(0x1p-600 * one.spread), other.spread);
  for (const double factor : {1e200, 1e-200}) {
    const std::string message = test::error_message<DataError>([&] { cleaned(factor * made_noisy(), quick); });
    EXPECT_NE(message.find("which is no sound"), std::string::npos) << message;
    EXPECT_NE(test::error_message<DataError>([&] { learn(factor * made_voice()); }).find("voice: the loudest sample"),
              std::string::npos);
  }
}

TEST(Denoise, RoundsCountAndCanBeStopped) {
  std::vector<double> shares;
  cleaned(made_noisy(), {{"iterations", "20"}}, [&](double share) {
    shares.push_back(share);
    return true;
  });
  ASSERT_GT(shares.size(), 15U);
  EXPECT_TRUE(std::ranges::is_sorted(shares));
  EXPECT_NEAR(shares[1], 2.0 / 50, 1e-12);  // a round is two of 2 x 15 + 20
  EXPECT_EQ(shares.back(), 1);
  int calls = 0;
  const auto stop = [&] { cleaned(made_noisy(), {{"rounds", "1000000"}}, [&](double) { return ++calls < 4; }); };
  EXPECT_NE(test::error_message<RunError>(stop).find("stopped before the end"), std::string::npos);
  EXPECT_EQ(calls, 4);
}

void expect_same(const Denoised& found, const Denoised& expected) {  // bit for bit
  EXPECT_EQ(found.samples, expected.samples);
  EXPECT_EQ(found.clean, expected.clean);
  EXPECT_EQ(found.spread, expected.spread);
  EXPECT_EQ(found.expected_sdr, expected.expected_sdr);
  EXPECT_EQ(found.notes, expected.notes);
}

// Whoever is made anew goes on from what another has saved.
template <class Work, class Make>
std::unique_ptr<Work> stopped_at(std::int64_t steps, const Make& make) {
  const std::unique_ptr<Work> begun = make();
  while (begun->steps() < steps) begun->step();
  Writer saved;
  begun->save(saved);
  std::unique_ptr<Work> resumed = make();
  Reader in(saved.bytes());
  resumed->load(in);
  EXPECT_TRUE(in.at_end());
  EXPECT_EQ(resumed->steps(), steps);
  EXPECT_EQ(resumed->share(), begun->share());
  work_through(*resumed, {});
  return resumed;
}

TEST(Denoise, GoesOnFromWhatWasSaved) {
  const Vec noisy = made_noisy();
  for (const char* sampler : {"sgld", "gibbs", "nuts", "hamcmc"}) {
    for (const char* iterations : {"0", "20"}) {
      const Config config =
          settings_of({{"sampler", sampler}, {"rounds", "5"}, {"iterations", iterations}, {"average", "8"}});
      const auto make = [&] { return std::make_unique<Denoising>(noisy, rate, voice(), config); };
      const Denoised expected = denoise(noisy, rate, voice(), config, {});
      const std::int64_t all = 5 + config.integer("iterations");
      for (const std::int64_t steps : {0, 3, 5, 9, 18, 25}) {
        if (steps > all) continue;
        SCOPED_TRACE(testing::Message() << sampler << ", " << steps << " of " << all);
        expect_same(stopped_at<Denoising>(steps, make)->result(), expected);
      }
    }
  }
  const Vec silence = Vec::Zero(100);
  const Config config = settings_of({});
  const auto make = [&] { return std::make_unique<Denoising>(silence, rate, voice(), config); };
  EXPECT_TRUE(stopped_at<Denoising>(0, make)->result().samples.isZero(0));
}

TEST(Denoise, LearningGoesOnFromWhatWasSaved) {
  const std::vector<Clip> clips{{"voice", made_voice()}};
  const Settings settings{{"frame", "64"}, {"hop", "16"}, {"components", "4"}, {"rounds", "20"}};
  const Config config("denoise train", speech_training_params(), settings);
  const auto make = [&] { return std::make_unique<SpeechLearning>(clips, rate, config); };
  for (const std::int64_t steps : {0, 1, 14, 15, 16, 19, 20}) {
    SCOPED_TRACE(steps);
    const SpeechModel found = stopped_at<SpeechLearning>(steps, make)->result();
    EXPECT_EQ(found.dictionary, voice().dictionary);
    EXPECT_EQ(found.activations.scale, voice().activations.scale);
    EXPECT_EQ(found.level, voice().level);
    EXPECT_EQ(found.seconds_of_speech, voice().seconds_of_speech);
  }
}

TEST(Denoise, SavedStateThatCannotBe) {
  const Vec noisy = made_noisy();
  const Config few = settings_of({{"rounds", "2"}}), many = settings_of({{"rounds", "4"}});
  Denoising begun(noisy, rate, voice(), many), other(noisy, rate, voice(), few);
  for (int round = 0; round < 3; ++round) begun.step();
  Writer saved;
  begun.save(saved);
  Reader in(saved.bytes());
  EXPECT_NE(test::error_message<DataError>([&] { other.load(in); }).find("more rounds than there are"),
            std::string::npos);
}

// A sampler that was told to leap ends in an error, or in numbers.
TEST(Denoise, StepsThatAreFarTooLarge) {
  for (const char* step : {"step_size=1e3", "step_size=1e100"}) {
    for (const char* coordinates : {"log", "natural"}) {
      SCOPED_TRACE(testing::Message() << step << ", " << coordinates);
      try {
        const Denoised found =
            cleaned(made_noisy(), {{"iterations", "20"}, {"sampler_settings", step}, {"coordinates", coordinates}});
        EXPECT_TRUE(found.samples.allFinite() && found.spread.allFinite());
      } catch (const RunError& error) {
        EXPECT_NE(std::string(error.what()).find("step"), std::string::npos) << error.what();
      }
    }
  }
}

TEST(Denoise, RatesThatNoFileOfSpeechHoldsAreRefusedBeforeTheWork) {
  const std::vector<Clip> clips{{"voice", made_voice()}};
  const Config config("denoise train", speech_training_params(), {});
  EXPECT_NE(test::error_message<DataError>([&] {
              learn_speech(clips, highest_rate + 1, config, [](double) { return false; });
            }).find("voice: 16777217 samples a second"),
            std::string::npos);
}

// Work that has begun is stopped, which is another kind of error.
TEST(Denoise, SamplersAreRefusedBeforeTheWork) {
  const auto refusal = [](const Settings& settings) {
    return test::error_message<UsageError>([&] { cleaned(made_noisy(), settings, [](double) { return false; }); });
  };
  EXPECT_NE(refusal({{"sampler", "als"}}).find("als: does not take sound"), std::string::npos);
  EXPECT_NE(refusal({{"sampler", "sgrld"}}).find("Gibbs steps"), std::string::npos);
  EXPECT_NE(refusal({{"sampler_settings", "step_size=0"}}).find("step size"), std::string::npos);
  EXPECT_NE(refusal({{"sampler_settings", "step_size=1e-3 step_size=2e-3"}}).find("step_size is given twice"),
            std::string::npos);
  EXPECT_NE(refusal({{"sampler", "nuts"}, {"batch_share", "0.5"}}).find("nuts looks at all entries"),
            std::string::npos);
}

// Each by a step size of its own, or one that it has learned: a tenth of it gains less than one percent here.
TEST(Denoise, EverySamplerByItsDefaults) {
  const auto error_of = [](const Denoised& found) { return (found.samples - made_voice()).norm(); };
  const double at_start = error_of(cleaned(made_noisy(), {{"iterations", "0"}}));
  for (const char* name : {"nuts", "hmc", "sgld", "psgld", "sghmc", "sgnht", "hamcmc", "gibbs"}) {
    SCOPED_TRACE(name);
    const Denoised found = cleaned(made_noisy(), {{"sampler", name}, {"iterations", "60"}, {"average", "30"}});
    EXPECT_TRUE(found.spread.allFinite());
    EXPECT_LT(error_of(found), 0.97 * at_start) << "of what uphill moves alone have found: " << at_start;
  }
}

// The longer a sound, the more frames look at a spectrum of noise, and the shorter steps have to be.
TEST(Denoise, StepsFitLongSounds) {
  const Vec noisy = made_noisy().replicate(40, 1);
  for (const char* name : {"sgld", "psgld", "sghmc", "hamcmc"}) {
    SCOPED_TRACE(name);
    const Denoised found =
        cleaned(noisy, {{"sampler", name}, {"iterations", "30"}, {"average", "10"}, {"rounds", "3"}});
    EXPECT_TRUE(found.samples.allFinite());
  }
}

}  // namespace
}  // namespace quasar
