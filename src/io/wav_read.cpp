#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include <quasar/errors.hpp>

#include "io/printable.hpp"
#include "io/sound_bytes.hpp"
#include "io/wav.hpp"

namespace quasar {
namespace {

constexpr std::size_t riff_header_size = 12, chunk_header_size = 8;
constexpr std::size_t most_wav_bytes = std::size_t{1} << 31;  // 18 hours of 16 bits at 16 kHz
constexpr std::uint32_t length_unknown = 0xffffffff;

[[noreturn]] void refuse_wav(const std::string& name, const std::string& why) {
  throw DataError(fmt::format("{}: {}", printable(name), why));
}

struct WavCoding {
  int subtype;
  std::string_view name;
  std::size_t size;  // bytes of a sample
  double largest;    // the end of the scale; the other end is -1, or -largest where the scale is symmetric
  bool symmetric = false;
};
constexpr double law_top = 32124.0 / 32768, a_law_top = 32256.0 / 32768;  // ITU-T G.711
constexpr WavCoding wav_codings[] = {
    {SF_FORMAT_PCM_U8, "8-bit PCM", 1, 1 - 0x1p-7},     {SF_FORMAT_PCM_16, "16-bit PCM", 2, 1 - 0x1p-15},
    {SF_FORMAT_PCM_24, "24-bit PCM", 3, 1 - 0x1p-23},   {SF_FORMAT_PCM_32, "32-bit PCM", 4, 1 - 0x1p-31},
    {SF_FORMAT_FLOAT, "32-bit float", 4, 1, true},      {SF_FORMAT_DOUBLE, "64-bit float", 8, 1, true},
    {SF_FORMAT_ULAW, "8-bit mu-law", 1, law_top, true}, {SF_FORMAT_ALAW, "8-bit A-law", 1, a_law_top, true}};

// Up to `size` bytes of the file are there afterwards, or all that it has.
void read_until(InputFile& file, std::string& bytes, std::size_t size) {
  constexpr std::size_t block = 1 << 18;
  while (bytes.size() < size) {
    const std::size_t before = bytes.size();
    bytes.resize(std::min(size, before + block));
    const std::size_t got = file.read({bytes.data() + before, bytes.size() - before});
    bytes.resize(before + got);
    if (got == 0) return;
  }
}

// The mark is looked at first: whatever else the file is, it need not be read to its end.
std::string wav_bytes(InputFile& file) {
  std::string bytes;
  read_until(file, bytes, riff_header_size);
  if (bytes.empty()) refuse_wav(file.name(), "is empty");
  if (bytes.starts_with("RF64") || bytes.starts_with("RIFX")) {
    refuse_wav(file.name(),
               "is a WAV file of a rare kind (" + bytes.substr(0, 4) + "); sox or ffmpeg makes a plain one of it");
  }
  if (!bytes.starts_with("RIFF") || !bytes.ends_with("WAVE") || bytes.size() < riff_header_size) {
    refuse_wav(file.name(), "is no WAV file; sox or ffmpeg makes one of other sound files");
  }
  read_until(file, bytes, most_wav_bytes + 1);
  if (bytes.size() > most_wav_bytes) refuse_wav(file.name(), "is larger than 2 GiB; cut it into parts");
  return bytes;
}

std::uint32_t little_endian(std::string_view four_bytes) {
  std::uint32_t value = 0;
  for (std::size_t i = 4; i-- > 0;) value = value << 8 | static_cast<unsigned char>(four_bytes[i]);
  return value;
}

// How many bytes of samples the header says there are. libsndfile reads what is there instead, and takes whatever
// follows an empty chunk of samples for samples.
std::size_t declared_bytes(const std::string& name, std::string_view bytes) {
  std::size_t place = riff_header_size;
  while (place + chunk_header_size <= bytes.size()) {
    const std::uint32_t size = little_endian(bytes.substr(place + 4, 4));
    const std::string_view chunk = bytes.substr(place, 4);
    place += chunk_header_size;
    if (chunk != "data") {
      place += std::size_t{size} + size % 2;
      continue;
    }
    const std::size_t there = bytes.size() - place;
    if (size == length_unknown) return there;
    if (size > there) {
      refuse_wav(name, fmt::format("ends early: its header calls for {} bytes of samples, {} are there; "
                                   "sox --ignore-length IN OUT saves them",
                                   size, there));
    }
    if (size == 0 && there > 0) {
      refuse_wav(name,
                 "says that it holds no samples, as a recorder that was stopped leaves it; "
                 "sox --ignore-length IN OUT saves what is there");
    }
    return size;
  }
  refuse_wav(name, "ends inside its header");
}

const WavCoding& wav_coding(const std::string& name, int format) {
  const int kind = format & SF_FORMAT_TYPEMASK, subtype = format & SF_FORMAT_SUBMASK;
  const auto found = std::ranges::find(wav_codings, subtype, &WavCoding::subtype);
  if ((kind != SF_FORMAT_WAV && kind != SF_FORMAT_WAVEX) || found == std::end(wav_codings)) {
    SF_FORMAT_INFO known{.format = subtype, .name = nullptr, .extension = nullptr};
    sf_command(nullptr, SFC_GET_FORMAT_INFO, &known, sizeof known);
    refuse_wav(name,
               fmt::format("is coded as {}, which is not read; sox IN -b 16 -e signed OUT makes plain samples of it",
                           known.name == nullptr ? "something unknown" : known.name));
  }
  return *found;
}

void check_wav_info(const std::string& name, const SF_INFO& info, std::optional<int> expected_rate) {
  if (info.channels != 1) {
    refuse_wav(name,
               fmt::format("has {} channels, and one is read; mix it to one channel first, with sox IN OUT remix -",
                           info.channels));
  }
  if (info.samplerate <= 0) refuse_wav(name, fmt::format("its header is damaged: a rate of {} Hz", info.samplerate));
  if (expected_rate && info.samplerate != *expected_rate) {
    refuse_wav(name, fmt::format("has {} samples a second, {} are expected; sox IN OUT rate {} makes them so",
                                 info.samplerate, *expected_rate, *expected_rate));
  }
}

Vec wav_samples(const std::string& name, SNDFILE* file, std::size_t count) {
  Vec samples(static_cast<Index>(count));
  if (sf_read_double(file, samples.data(), samples.size()) != samples.size()) {
    refuse_wav(name, fmt::format("cannot be read to its end: {}", sf_strerror(file)));
  }
  return samples;
}

Index count_clipped(In samples, const WavCoding& coding) {
  const double top = coding.largest, bottom = coding.symmetric ? -top : -1;
  return std::ranges::count_if(samples, [&](double x) { return x >= top || x <= bottom; });
}

}  // namespace

WavSound read_wav(InputFile file, std::optional<int> expected_rate) {
  const std::string& name = file.name();
  SoundBytes sound{.bytes = wav_bytes(file)};
  const std::size_t declared = declared_bytes(name, sound.bytes);
  SF_INFO info{};
  const SoundFile opened = open_sound(sound, SFM_READ, info);
  if (!opened) refuse_wav(name, fmt::format("its header cannot be read: {}", sf_strerror(nullptr)));
  check_wav_info(name, info, expected_rate);
  const WavCoding& coding = wav_coding(name, info.format);
  const std::size_t count = declared / coding.size;
  if (count == 0) refuse_wav(name, "holds no samples");
  if (declared % coding.size != 0) refuse_wav(name, "ends within a sample");
  if (!std::in_range<Index>(count) || info.frames != static_cast<sf_count_t>(count)) {
    refuse_wav(name, fmt::format("its header is damaged: {} samples or {}", count, info.frames));
  }
  Vec samples = wav_samples(name, opened.get(), count);
  if (const Index place = first_not_finite(samples); place > 0) {
    refuse_wav(name, sample_text(place, samples[place - 1], info.samplerate));
  }
  const Index clipped = count_clipped(samples, coding);
  const bool silent = (samples.array() == 0).all();
  const char* comment = sf_get_string(opened.get(), SF_STR_COMMENT);
  return {.source = name,
          .samples = std::move(samples),
          .rate = info.samplerate,
          .encoding = std::string(coding.name),
          .clipped = clipped,
          .silent = silent,
          .comment = comment == nullptr ? "" : comment,
          .content_hash = file.content_hash()};
}

}  // namespace quasar
