// A sound file in memory, as libsndfile reads and writes it, and what its samples have to be.
#pragma once

#include <sndfile.h>

#include <cstddef>
#include <memory>
#include <string>

#include <quasar/core.hpp>

namespace quasar {

struct SoundBytes {
  std::string bytes;
  std::size_t place = 0;
};

using SoundFile = std::unique_ptr<SNDFILE, int (*)(SNDFILE*)>;

// Null where libsndfile refuses; sf_strerror(nullptr) says why. The bytes outlive the file.
SoundFile open_sound(SoundBytes& sound, int mode, SF_INFO& info);

Index first_not_finite(In samples);                            // its place, from 1; 0 where all are finite
std::string sample_text(Index place, double value, int rate);  // "sample 17 (0.001 s) is nan"

}  // namespace quasar
