// The experiment on noisy speech, quick, on made sounds: what it needs, and what lies on the right side of what.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <numbers>
#include <set>
#include <stdexcept>

#include <quasar/errors.hpp>
#include <quasar/experiment.hpp>
#include <quasar/registry.hpp>

#include "io/wav.hpp"
#include "support/made_sounds.hpp"
#include "support/temp_folder.hpp"

namespace quasar {
namespace {

constexpr Index made_length = 5000;

double value_in(const ExperimentResult& result, const std::string& method, const std::string& quantity) {
  for (const ExperimentRow& row : result.rows) {
    if (row.method == method && row.quantity == quantity) return row.value;
  }
  throw std::out_of_range(fmt::format("{}: {}", method, quantity));
}

// Chords of one of three kinds after a quiet beginning.
Vec made_sentence(int number) {
  Vec samples = Vec::Zero(made_length);
  for (Index n = 1200; n < made_length; ++n) {
    const double pitch = 0.05 + 0.02 * static_cast<double>((number + n / 1000) % 3), t = static_cast<double>(n);
    for (int harmonic = 1; harmonic <= 4; ++harmonic) {
      samples[n] += 0.08 / harmonic * std::sin(std::numbers::pi * pitch * harmonic * t);
    }
  }
  return samples;
}

void write_made_speech(const std::filesystem::path& data, int last = 9) {
  const auto folder = data / "noizeus";
  std::filesystem::create_directories(folder / "clean");
  std::int64_t seed = 1;
  for (const std::string noise : {"airport", "babble", "car", "street"}) {
    std::filesystem::create_directories(folder / fmt::format("{}_5dB", noise));
  }
  for (int number = 1; number <= last; ++number) {
    const Vec clean = made_sentence(number);
    write_wav(folder / "clean" / fmt::format("sp{:02}.wav", number), clean, 8000);
    for (const std::string noise : {"airport", "babble", "car", "street"}) {
      Vec added = test::lehmer_noise(++seed, made_length);
      added *= clean.norm() / added.norm() * std::pow(10, -0.25);  // 5 dB
      write_wav(folder / fmt::format("{}_5dB", noise) / fmt::format("sp{:02}_{}_sn5.wav", number, noise), clean + added,
                8000);
    }
  }
}

ExperimentResult quick_speech(const std::filesystem::path& data) {
  ExperimentOptions options;
  options.quick = true;
  options.data_dir = data.string();
  return find_experiment("hamcmc-alpha-stable").run(options);
}

// White noise and chords are easily told apart: filters and factorizations gain at least 2 dB of SDR, which a filter
// that halves all noise and leaves the speech would gain.
TEST(NoisySpeech, EveryMethodTakesNoiseOff) {
  const test::TempFolder folder;
  write_made_speech(folder.path());
  const ExperimentResult result = quick_speech(folder.path());
  const double noisy = value_in(result, "noisy", "SDR");
  EXPECT_NEAR(noisy, 5, 1);
  std::set<std::string> methods;
  for (const ExperimentRow& row : result.rows) {
    EXPECT_TRUE(std::isfinite(row.value)) << row.method << ", " << row.quantity;
    EXPECT_NE(row.quantity, "diverged") << row.method;
    if (row.method != "noisy" && row.quantity == "SDR") {
      EXPECT_GT(row.value, noisy + 2) << row.method;
      methods.insert(row.method);
    }
  }
  EXPECT_EQ(methods.size(), 13U);
  const auto expect_difference = [&](const char* method, const std::string& other, const std::string& of) {
    EXPECT_NEAR(value_in(result, method, of + ", more than " + other),
                value_in(result, method, of) - value_in(result, other, of), 1e-9);
  };
  expect_difference("PSGLD", "HAMCMC, printed pairs", "SDR");
  expect_difference("PSGLD", "HAMCMC, random pairs", "SDR");
  expect_difference("HAMCMC, random pairs", "HAMCMC, printed pairs", "SDR");
  expect_difference("SGLD", "Wiener, decision-directed", "SDR, babble");
  EXPECT_EQ(result.figures.at(0).panels.at(0).x.names.size(), 14U);
}

TEST(NoisySpeech, SaysWhatItNeeds) {
  EXPECT_THROW(quick_speech(""), UsageError);
  EXPECT_THROW(quick_speech("/nowhere"), DataError);
  const test::TempFolder folder;
  write_made_speech(folder.path());
  const auto one = folder.path() / "noizeus" / "car_5dB" / "sp02_car_sn5.wav";
  write_wav(one, made_sentence(2).head(made_length - 1), 8000);
  EXPECT_THROW(quick_speech(folder.path()), DataError);
  write_wav(one, made_sentence(2), 16000);
  EXPECT_THROW(quick_speech(folder.path()), DataError);
}

}  // namespace
}  // namespace quasar
