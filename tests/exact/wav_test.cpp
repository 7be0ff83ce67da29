// WAV files: samples as they are, or refused with the file and the cause.
#include "io/wav.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

#include <quasar/errors.hpp>

#include "support/error_message.hpp"
#include "support/gzipped.hpp"
#include "support/made_sounds.hpp"
#include "support/temp_folder.hpp"

namespace quasar {
namespace {

using namespace std::string_literals;

constexpr std::uint32_t kPcm = 1, kFloat = 3, kALaw = 6, kMuLaw = 7, kImaAdpcm = 0x11;

std::string little(std::uint64_t value, int bytes) {
  std::string text;
  for (int i = 0; i < bytes; ++i) text += static_cast<char>(value >> 8 * i & 0xff);
  return text;
}

std::string chunk(const std::string& name, const std::string& content) {
  return name + little(content.size(), 4) + content + std::string(content.size() % 2, '\0');
}

struct Format {
  std::uint32_t tag = kPcm, bits = 16, channels = 1, rate = 16000;
  bool extensible = false;
};

std::string format_chunk(const Format& f) {
  const std::uint32_t frame = f.bits / 8 * f.channels;
  std::string text = little(f.extensible ? 0xfffe : f.tag, 2) + little(f.channels, 2) + little(f.rate, 4) +
                     little(f.rate * frame, 4) + little(frame, 2) + little(f.bits, 2);
  if (f.extensible) {
    text += little(22, 2) + little(f.bits, 2) + little(4, 4) + little(f.tag, 2) +
            std::string("\0\0\0\0\x10\0\x80\0\0\xaa\0\x38\x9b\x71", 14);
  }
  return chunk("fmt ", text);
}

std::string riff(const std::string& chunks) { return "RIFF" + little(4 + chunks.size(), 4) + "WAVE" + chunks; }

std::string wav(const std::string& samples, const Format& format = {}) {
  return riff(format_chunk(format) + chunk("data", samples));
}

// A WAV file whose header calls for so many bytes of samples, whatever is there.
std::string claiming(std::uint32_t size, const std::string& samples) {
  return riff(format_chunk({}) + "data" + little(size, 4) + samples);
}

std::string floats(std::initializer_list<float> values) {
  std::string text;
  for (const float value : values) text += little(std::bit_cast<std::uint32_t>(value), 4);
  return text;
}

const std::string kThree = little(0, 2) + little(16384, 2) + little(0x8000, 2);  // 0, 1/2, -1

class Wav : public testing::Test {
 protected:
  WavSound read(const std::string& bytes, std::optional<int> rate = {}) const {
    return read_wav(InputFile(folder.write("a.wav", bytes)), rate);
  }
  void expect_refused(const std::string& bytes, const std::string& cause, std::optional<int> rate = {}) const {
    const std::string message = test::error_message<DataError>([&] { read(bytes, rate); });
    EXPECT_EQ(message.find(folder.file("a.wav").string() + ": "), 0) << message;
    EXPECT_NE(message.find(cause), std::string::npos) << message;
  }
  std::string written(In samples, int rate, WavEncoding encoding = WavEncoding::pcm16) const {
    write_wav(folder.file("b.wav"), samples, rate, encoding);
    return read_text(folder.file("b.wav"));
  }
  const test::TempFolder folder;
};

TEST_F(Wav, SixteenBits) {
  const WavSound sound = read(wav(kThree));
  EXPECT_EQ(sound.samples, (Vec{{0, 0.5, -1}}));
  EXPECT_EQ(sound.rate, 16000);
  EXPECT_EQ(sound.encoding, "16-bit PCM");
  EXPECT_EQ(sound.source, folder.file("a.wav").string());
  EXPECT_EQ(sound.content_hash, content_hash(wav(kThree)));
  EXPECT_EQ(sound.clipped, 1);
  EXPECT_FALSE(sound.silent);
}

TEST_F(Wav, OtherEncodings) {
  const auto expect = [&](const Format& format, const std::string& samples, const Vec& values, Index clipped,
                          const std::string& encoding) {
    SCOPED_TRACE(encoding);
    const WavSound sound = read(wav(samples, format));
    EXPECT_EQ(sound.samples, values);
    EXPECT_EQ(sound.clipped, clipped);
    EXPECT_EQ(sound.encoding, encoding);
  };
  const std::string three_of_24 = little(0x400000, 3) + little(0x800000, 3) + little(0x7fffff, 3);
  expect({kPcm, 8}, "\x80\xc0\xff\x01\x7f", Vec{{0, 0.5, 1 - 0x1p-7, 0x1p-7 - 1, -0x1p-7}}, 1, "8-bit PCM");
  expect({kPcm, 24}, three_of_24, Vec{{0.5, -1, 1 - 0x1p-23}}, 2, "24-bit PCM");
  expect({kPcm, 32}, little(0xe0000000, 4) + little(0x7fffffff, 4), Vec{{-0.25, 1 - 0x1p-31}}, 1, "32-bit PCM");
  expect({kFloat, 32}, floats({0.75F, -1, 3, 1e-30F}), Vec{{0.75, -1, 3, 1e-30F}}, 2, "32-bit float");
  expect({kFloat, 64}, little(std::bit_cast<std::uint64_t>(0.1), 8), Vec{{0.1}}, 0, "64-bit float");
  // ITU-T G.711: the ends of the scale, and the number nearest to 0 on either side.
  expect({kMuLaw, 8}, "\x80\0\xff"s, Vec{{32124, -32124, 0}} / 32768, 2, "8-bit mu-law");
  expect({kALaw, 8}, "\xaa\x2a\xd5\x55", Vec{{32256, -32256, 8, -8}} / 32768, 2, "8-bit A-law");
  expect({kPcm, 16, 1, 16000, true}, kThree, Vec{{0, 0.5, -1}}, 1, "16-bit PCM");
  expect({kFloat, 32, 1, 48000, true}, floats({0.5F}), Vec{{0.5}}, 0, "32-bit float");
}

TEST_F(Wav, ChunksBesideTheSamples) {
  const std::string odd = chunk("LIST", "INFOabc"), note = chunk("note", std::string(5000, 'x'));
  const Vec expected{{0, 0.5, -1}};
  EXPECT_EQ(read(riff(format_chunk({}) + odd + note + chunk("data", kThree) + odd)).samples, expected);
  EXPECT_EQ(read(riff(odd + format_chunk({}) + chunk("data", kThree)) + "garbage").samples, expected);
}

TEST_F(Wav, FromMemoryAPieceAtATime) {
  const std::string bytes = wav(kThree);
  std::string_view rest = bytes;
  const InputFile::Source source = [&](std::span<char> buffer) {
    const std::size_t count = rest.copy(buffer.data(), std::min<std::size_t>(buffer.size(), 5));
    rest.remove_prefix(count);
    return count;
  };
  EXPECT_EQ(read_wav(InputFile("memory", source)).samples, read(bytes).samples);
}

TEST_F(Wav, Gzip) { EXPECT_EQ(read(test::gzipped(wav(kThree))).samples, read(wav(kThree)).samples); }

TEST_F(Wav, SilenceAndClippingAreReported) {
  const WavSound silent = read(wav(std::string(2000, '\0')));
  EXPECT_TRUE(silent.silent);
  EXPECT_EQ(silent.clipped, 0);
  EXPECT_EQ(silent.samples, Vec::Zero(1000));
  EXPECT_EQ(read(wav(little(0x7fff, 2) + little(0x8000, 2) + little(0x7ffe, 2) + little(0x8001, 2))).clipped, 2);
}

TEST_F(Wav, ALengthThatNobodyKnew) {  // a program that writes into a pipe
  EXPECT_EQ(read(claiming(0xffffffff, kThree)).samples, (Vec{{0, 0.5, -1}}));
  expect_refused(claiming(0xffffffff, kThree + "x"), "ends within a sample");
  expect_refused(claiming(0xffffffff, ""), "holds no samples");
}

TEST_F(Wav, MoreThanOneChannel) {
  expect_refused(wav(kThree + kThree, {.channels = 2}), "has 2 channels, and one is read; mix it to one channel first");
  expect_refused(wav(kThree + kThree, {.channels = 6}), "has 6 channels");
  expect_refused(wav(kThree, {.channels = 0}), "its header cannot be read");
}

TEST_F(Wav, AnotherRate) {
  EXPECT_NO_THROW(read(wav(kThree), 16000));
  expect_refused(wav(kThree, {.rate = 44100}), "has 44100 samples a second, 16000 are expected; sox IN OUT rate 16000",
                 16000);
  expect_refused(wav(kThree, {.rate = 0}), "its header");
  expect_refused(wav(kThree, {.rate = 0xffffffff}), "its header");
}

TEST_F(Wav, NoSamples) {
  expect_refused(wav(""), "holds no samples");
  expect_refused(claiming(0, kThree), "as a recorder that was stopped leaves it");
  expect_refused(riff(format_chunk({}) + chunk("data", "") + chunk("LIST", "INFO")), "holds no samples");
  expect_refused(claiming(1, "xx"), "holds no samples");
}

TEST_F(Wav, FilesThatEndEarly) {
  const std::string bytes = wav(kThree);
  expect_refused("", "is empty");
  for (std::size_t size = 1; size < bytes.size(); ++size) {
    expect_refused(bytes.substr(0, size), size < 12 ? "no WAV file" : "ends");
  }
  expect_refused(claiming(8, kThree), "ends early: its header calls for 8 bytes of samples, 6 are there");
  expect_refused(claiming(3, "xxxx"), "ends within a sample");
  expect_refused(claiming(0xfffffffe, kThree), "calls for 4294967294 bytes of samples, 6 are there");
  expect_refused(riff(format_chunk({}) + "LIST" + little(0xffffffff, 4)), "ends inside its header");
}

TEST_F(Wav, DamagedHeaders) {
  const std::string cause = "its header cannot be read: ";
  expect_refused(riff(chunk("data", kThree)), cause);  // no format
  expect_refused(riff(chunk("fmt ", "xx") + chunk("data", kThree)), cause);
  expect_refused(wav(kThree, {.bits = 0}), cause);
  expect_refused(wav(kThree, {.tag = 0x4242}), cause);
  expect_refused(riff(format_chunk({}) + format_chunk({.channels = 2}) + chunk("data", kThree)), cause);
}

TEST_F(Wav, OtherFormats) {
  expect_refused("a,b\n1,2\n3,4\n5,6\n", "is no WAV file; sox or ffmpeg");
  expect_refused("fLaC\0\0\0\x22 and so on"s, "is no WAV file");
  expect_refused("RIFF\x24\0\0\0AVI LIST"s, "is no WAV file");
  expect_refused("RF64" + wav(kThree).substr(4), "rare kind (RF64)");
  expect_refused("RIFX" + wav(kThree).substr(4), "rare kind (RIFX)");
  std::string adpcm = little(kImaAdpcm, 2) + little(1, 2) + little(8000, 4) + little(4055, 4) + little(256, 2) +
                      little(4, 2) + little(2, 2) + little(505, 2);
  expect_refused(riff(chunk("fmt ", adpcm) + chunk("fact", little(505, 4)) + chunk("data", std::string(256, '\0'))),
                 "is coded as IMA ADPCM, which is not read; sox IN -b 16");
}

TEST_F(Wav, SamplesThatAreNotFinite) {
  const float nan = std::numeric_limits<float>::quiet_NaN(), inf = std::numeric_limits<float>::infinity();
  expect_refused(wav(floats({0, 0, nan, inf}), {kFloat, 32}), "sample 3 (0.000125 s) is nan");
  expect_refused(wav(floats({0, -inf}), {kFloat, 32}), "sample 2 (6.25e-05 s) is -inf");
  const std::string nan_64 = little(std::bit_cast<std::uint64_t>(std::nan("")), 8);
  expect_refused(wav(nan_64, {kFloat, 64}), "sample 1 (0 s) is nan");
}

TEST_F(Wav, FilesThatCannotBeRead) {
  const auto message = [](const std::filesystem::path& path) {
    return test::error_message<DataError>([&] { read_wav(InputFile(path)); });
  };
  EXPECT_NE(message(folder.file("missing.wav")).find("No such file"), std::string::npos);
  EXPECT_NE(message(folder.path()).find("is a folder"), std::string::npos);
  EXPECT_NE(message("/dev/zero").find("/dev/zero: is no WAV file"), std::string::npos);  // not read to its end
  if (geteuid() != 0) {
    const auto closed = folder.write("closed.wav", wav(kThree));
    chmod(closed.c_str(), 0);
    EXPECT_NE(message(closed).find("Permission denied"), std::string::npos);
  }
}

TEST_F(Wav, SixteenBitsComeBackExactly) {
  Vec all(65536);
  for (Index i = 0; i < all.size(); ++i) all[i] = static_cast<double>(i - 32768) / 32768;
  EXPECT_EQ(clipped_by_sixteen_bits(all), 0);
  write_wav(folder.file("all.wav"), all, 8000);
  const WavSound back = read_wav(InputFile(folder.file("all.wav")));
  EXPECT_EQ(back.samples, all);
  EXPECT_EQ(back.rate, 8000);
  EXPECT_EQ(back.encoding, "16-bit PCM");
  EXPECT_EQ(written(Vec{{0, 0.5, -1}}, 16000), wav(kThree));  // to the byte
}

TEST_F(Wav, FloatsComeBackExactly) {
  const Vec values = (3 * test::lehmer_noise(2, 1000)).cast<float>().cast<double>();
  write_wav(folder.file("f.wav"), values, 22050, WavEncoding::float32);
  const WavSound back = read_wav(InputFile(folder.file("f.wav")), 22050);
  EXPECT_EQ(back.samples, values);
  EXPECT_EQ(back.encoding, "32-bit float");
  const std::string first = written(values, 22050, WavEncoding::float32);
  EXPECT_EQ(first.find("PEAK"), std::string::npos);  // a chunk with the time of day in it
  EXPECT_EQ(first, written(values, 22050, WavEncoding::float32));
}

TEST_F(Wav, ACommentComesBackAndChangesNoSample) {
  const Vec values{{0, 0.5, -1}};
  for (const std::size_t size : {1, 2, 700, 1999}) {
    const std::string comment(size, 'x');
    write_wav(folder.file("n.wav"), values, 16000, WavEncoding::pcm16, IfExists::replace, comment);
    const WavSound back = read_wav(InputFile(folder.file("n.wav")));
    EXPECT_EQ(back.comment, comment);
    EXPECT_EQ(back.samples, values);
  }
  EXPECT_EQ(read_wav(InputFile(folder.write("plain.wav", wav(kThree)))).comment, "");
}

TEST_F(Wav, RoundingAndClippingOfSixteenBits) {
  const double step = 0x1p-15;
  const Vec values{{0.4 * step, 0.6 * step, -0.6 * step, 1 - step, 1 - 0.6 * step, 1 - 0.4 * step, 1, -1,
                    -1 - 0.4 * step, -1 - 0.6 * step, 1e300, -1e300}};
  const Vec expected{{0, step, -step, 1 - step, 1 - step, 1 - step, 1 - step, -1, -1, -1, 1 - step, -1}};
  EXPECT_EQ(clipped_by_sixteen_bits(values), 5);
  write_wav(folder.file("c.wav"), values, 16000);
  const WavSound back = read_wav(InputFile(folder.file("c.wav")));
  EXPECT_EQ(back.samples, expected);
  EXPECT_EQ(back.clipped, 9);  // what stood at the end of the scale is clipped as well for whoever reads it
}

TEST_F(Wav, WhatCannotBeWritten) {
  const auto path = folder.file("w.wav");
  Vec broken = Vec::Zero(5);
  broken[2] = std::nan("");
  EXPECT_EQ(test::error_message<RunError>([&] { write_wav(path, broken, 2); }),
            "sample 3 (1 s) is nan: nothing is written");
  broken[2] = -std::numeric_limits<double>::infinity();
  EXPECT_THROW(write_wav(path, broken, 2, WavEncoding::float32), RunError);
  EXPECT_THROW(write_wav(path, Vec(), 16000), UsageError);
  EXPECT_THROW(write_wav(path, Vec::Zero(3), 0), UsageError);
  EXPECT_THROW(write_wav(path, Vec::Zero(3), -8000), UsageError);
  EXPECT_FALSE(std::filesystem::exists(path));
  EXPECT_THROW(write_wav(folder.file("none") / "w.wav", Vec::Zero(3), 8000), DataError);
  EXPECT_THROW(write_wav(folder.path(), Vec::Zero(3), 8000), DataError);
}

TEST_F(Wav, AFileIsReplacedWholeOrKept) {
  const auto path = folder.write("w.wav", "old");
  write_wav(path, Vec::Zero(3), 8000);
  EXPECT_TRUE(read_wav(InputFile(path)).silent);
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder.path()), {}), 1);  // nothing temporary is left
  EXPECT_THROW(write_wav(path, Vec::Ones(3), 8000, WavEncoding::pcm16, IfExists::fail), DataError);
  EXPECT_TRUE(read_wav(InputFile(path)).silent);
}

TEST_F(Wav, Loud32BitFloatsStayFinite) {
  write_wav(folder.file("loud.wav"), Vec{{1e300, -1e300}}, 8000, WavEncoding::float32);
  EXPECT_EQ(read_wav(InputFile(folder.file("loud.wav"))).clipped, 2);
}

}  // namespace
}  // namespace quasar
