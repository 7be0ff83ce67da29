#include "front/denoise/read_clips.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <set>
#include <system_error>
#include <utility>

#include <quasar/errors.hpp>

#include "diagnostics/wording.hpp"
#include "io/wav.hpp"

namespace quasar {
namespace {

void require_clip_rate(const WavSound& sound, const ReadClips& read) {
  if (read.clips.empty() || sound.rate == read.sample_rate) return;
  throw DataError(fmt::format("{} has {} samples a second, {} has {}: sox IN OUT rate {} makes them the same",
                              sound.source, sound.rate, read.clips.front().name, read.sample_rate,
                              std::min(sound.rate, read.sample_rate)));
}

void add_clip(ReadClips& read, WavSound sound) {
  require_clip_rate(sound, read);
  read.sample_rate = sound.rate;
  const std::string clipping = note_on_clipping(sound.clipped);
  if (!clipping.empty()) read.notes.push_back(sound.source + ": " + clipping);
  constexpr double step = 1.0 / 32768;
  const double level = sound.samples.norm() / std::sqrt(static_cast<double>(sound.samples.size()));
  if (!sound.silent && level < step) {
    read.notes.push_back(fmt::format("{}: fainter than one step of 16 bits: its level is {:.2g}, that of a step {:.2g}",
                                     sound.source, level, step));
  }
  read.content_hashes.push_back(std::move(sound.content_hash));
  read.clips.push_back({std::move(sound.source), std::move(sound.samples)});
}

}  // namespace

ReadClips read_clips(std::span<const std::string> files) {
  if (files.empty()) throw UsageError("there are no recordings to learn from");
  std::set<std::filesystem::path> places;
  ReadClips read;
  for (const std::string& file : files) {
    std::error_code unknown;  // a file that is not there is told by who reads it
    const std::filesystem::path place = std::filesystem::canonical(file, unknown);
    if (!places.insert(unknown ? std::filesystem::path(file) : place).second)
      throw UsageError(file + " is given twice");
    add_clip(read, read_wav(InputFile(file)));
  }
  return read;
}

std::string note_on_clipping(Index clipped) {
  if (clipped == 0) return {};
  return fmt::format("{} at the end of the scale: it was recorded too loud, and what was cut off is not known",
                     diagnostics::counted(clipped, "sample lies", "samples lie"));
}

}  // namespace quasar
