// The file of learned speech: netCDF-4, all that is needed to clean sounds by it and to show how it was learned.
//
//   dictionary  (bin, component)
//   file        (file): the recordings that it was learned from, where they have names
//   attributes  sample_rate, frame, hop, alpha, activation_shape, activation_scale, level,
//               seconds_of_speech, rounds, seed, quasar_version, quasar_speech (the version of the format);
//               work, where it was learned from files: what --resume compares with
//
// All numbers are double precision: what was read cleans a sound with the bits of what was written. Neither the time
// nor a path is in it, so that the same recordings and settings make the same model. The last bytes are a checksum
// (io/seal.hpp).
#pragma once

#include <filesystem>

#include "io/atomic_file.hpp"
#include "speech/speech_model.hpp"

namespace quasar {

// In one step: a temporary file, synced, then renamed. DataError: it cannot be written, or appeared meanwhile.
// RunError: a number of the model cannot be, so that nobody could read the file.
void write_speech(AtomicFile file, const SpeechModel& model, IfExists if_exists);

// DataError: no such file, damaged, no file of speech, made by a newer Quasar, or with numbers that cannot be.
SpeechModel read_speech(const std::filesystem::path& path);

}  // namespace quasar
