// Clean speech from WAV files, to learn from.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "speech/denoise.hpp"

namespace quasar {

struct ReadClips {
  std::vector<Clip> clips;  // under the names of their files
  int sample_rate = 0;      // of all of them
  std::vector<std::string> notes;
  std::vector<std::string> content_hashes = {};  // of the files
};

// DataError: a file that cannot be read, or has another sample rate than the first. UsageError: none, or
// one that is given twice.
ReadClips read_clips(std::span<const std::string> files);

// "3 samples lie at the end of the scale: it was recorded too loud"; empty: none do.
std::string note_on_clipping(Index clipped);

}  // namespace quasar
