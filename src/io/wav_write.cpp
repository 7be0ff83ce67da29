#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include <quasar/errors.hpp>

#include "io/printable.hpp"
#include "io/sound_bytes.hpp"
#include "io/text_output.hpp"
#include "io/wav.hpp"

namespace quasar {
namespace {

constexpr Index most_written_bytes = (Index{1} << 31) - 1024;  // with its header no more than is read

void check_written(In samples, int rate, WavEncoding encoding) {
  if (samples.size() == 0) throw UsageError("a WAV file needs at least one sample");
  if (rate <= 0) throw UsageError(fmt::format("a WAV file needs a positive rate, not {} Hz", rate));
  const Index size = encoding == WavEncoding::pcm16 ? 2 : 4;
  if (samples.size() > most_written_bytes / size) {
    throw RunError(fmt::format("{} samples are more than a WAV file holds; cut them into parts", samples.size()));
  }
  if (const Index place = first_not_finite(samples); place > 0) {
    throw RunError(sample_text(place, samples[place - 1], rate) + ": nothing is written");
  }
}

double rounded(double x) { return std::nearbyint(0x1p15 * x); }

double in_sixteen_bits(double x) { return std::clamp(rounded(x), -0x1p15, 0x1p15 - 1); }

std::vector<short> to_sixteen_bits(In samples) {
  std::vector<short> values;
  values.reserve(static_cast<std::size_t>(samples.size()));
  for (const double x : samples) values.push_back(static_cast<short>(in_sixteen_bits(x)));
  return values;
}

std::vector<float> to_floats(In samples) {
  constexpr double largest = std::numeric_limits<float>::max();
  std::vector<float> values;
  values.reserve(static_cast<std::size_t>(samples.size()));
  for (const double x : samples) values.push_back(static_cast<float>(std::clamp(x, -largest, largest)));
  return values;
}

}  // namespace

Index clipped_by_sixteen_bits(In samples) {
  return std::ranges::count_if(samples, [](double x) { return rounded(x) != in_sixteen_bits(x); });
}

void write_wav(const std::filesystem::path& path, In samples, int rate, WavEncoding encoding, IfExists if_exists,
               const std::string& comment) {
  check_written(samples, rate, encoding);
  TextOutput out{path};  // first of all: a place that cannot be written is known before any work
  const bool integers = encoding == WavEncoding::pcm16;
  SF_INFO info{};
  info.samplerate = rate;
  info.channels = 1;
  info.format = SF_FORMAT_WAV | (integers ? SF_FORMAT_PCM_16 : SF_FORMAT_FLOAT);
  SoundBytes sound;
  SoundFile file = open_sound(sound, SFM_WRITE, info);
  if (!file) throw RunError(fmt::format("{}: {}", printable(path.string()), sf_strerror(nullptr)));
  sf_command(file.get(), SFC_SET_ADD_PEAK_CHUNK, nullptr, SF_FALSE);  // it holds the time of day
  if (!comment.empty()) sf_set_string(file.get(), SF_STR_COMMENT, comment.c_str());
  const sf_count_t written = integers ? sf_write_short(file.get(), to_sixteen_bits(samples).data(), samples.size())
                                      : sf_write_float(file.get(), to_floats(samples).data(), samples.size());
  const bool closed = sf_close(file.release()) == 0;  // writes the lengths into the header
  if (written != samples.size() || !closed) throw RunError(fmt::format("{}: out of memory", printable(path.string())));
  out.write(sound.bytes);
  out.finish();
  out.commit(if_exists);
}

}  // namespace quasar
