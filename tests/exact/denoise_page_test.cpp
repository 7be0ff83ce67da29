// The page of a cleaned sound: its pictures lie where the sound is, and names are text.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "front/denoise/clean_sound.hpp"
#include "report/denoise_data.hpp"
#include "speech/sound_plane.hpp"

namespace quasar {
namespace {

constexpr int rate = 8000;

struct Picture {
  Index rows, columns;
  double start, step;
  std::string before;  // a byte for every cell, column after column
};

std::string decoded(const std::string& text) {  // of base64
  const std::string letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string bytes;
  unsigned held = 0;
  int bits = 0;
  for (const char letter : text) {
    if (letter == '=') break;
    held = held << 6 | static_cast<unsigned>(letters.find(letter));
    bits += 6;
    if (bits < 8) continue;
    bits -= 8;
    bytes += static_cast<char>(held >> bits & 0xff);
  }
  return bytes;
}

Picture picture_of(const Vec& samples, const SpeechPlane& plane) {
  const SpeechModel model{.plane = plane};
  const Config config("denoise run", denoise_params(), {});
  Denoised found;
  found.noisy = Stft(stft_settings(plane)).transform(samples).cwiseAbs2();
  found.clean = found.spread = Mat::Zero(found.noisy.rows(), found.noisy.cols());
  found.samples = samples;
  const DenoiseReport report =
      report_of({.name = "a.wav", .samples = samples, .rate = rate}, "m.nc", model, config, found);
  const nlohmann::ordered_json pictures = denoise_data(report, samples)["pictures"];
  EXPECT_NEAR(pictures["seconds"].get<double>(), static_cast<double>(samples.size()) / rate,
              1e-5 * static_cast<double>(samples.size()) / rate);
  return {pictures["rows"], pictures["columns"], pictures["start"], pictures["step"], decoded(pictures["before"])};
}

// A click is loudest in the column whose time it is.
TEST(DenoisePage, ColumnsLieWhereTheSoundIs) {
  for (const Index length : {1, 127, 128, 129, 5000, 400 * 500 + 77}) {
    for (const Index place : {Index{0}, length / 3, length / 2 + 17, length - 1}) {
      if (place >= length) continue;
      SCOPED_TRACE(testing::Message() << place << " of " << length);
      const Picture found = picture_of(Vec::Unit(length, place), {.sample_rate = rate, .frame = 512, .hop = 128});
      ASSERT_EQ(std::ssize(found.before), found.rows * found.columns);
      EXPECT_LE(found.columns, 1200);
      const auto loudest =
          std::ranges::max_element(found.before, {}, [](char byte) { return static_cast<unsigned char>(byte); });
      const auto column = static_cast<double>((loudest - found.before.begin()) / found.rows);
      const double time = static_cast<double>(place) / rate, rounding = 1e-5 * (time + 1);
      EXPECT_GE(time, found.start + column * found.step - rounding);
      EXPECT_LE(time, found.start + (column + 1) * found.step + rounding);
    }
  }
}

// 256 rows and that of frequency 0 are a picture as they are; more are put together.
TEST(DenoisePage, RowsAreBins) {
  const auto rows = [](Index frame) {
    return picture_of(Vec::Ones(100), {.sample_rate = rate, .frame = frame, .hop = frame / 4}).rows;
  };
  EXPECT_EQ(rows(4), 3);
  EXPECT_EQ(rows(512), 257);
  EXPECT_EQ(rows(514), 129);
  EXPECT_EQ(rows(2048), 257);
}

}  // namespace
}  // namespace quasar
