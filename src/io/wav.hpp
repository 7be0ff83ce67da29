// Sound of one channel in WAV files (RIFF, "WAVE"), read and written by libsndfile. Samples are numbers in [-1, 1):
// integers of b bits divided by 2^(b-1); floats stand as they are and may lie outside.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include <quasar/core.hpp>

#include "io/atomic_file.hpp"
#include "io/input_file.hpp"

namespace quasar {

struct WavSound {
  std::string source;
  Vec samples;  // at least one, all finite
  int rate;     // samples in a second
  std::string encoding;
  Index clipped;  // samples at the end of the scale, where a recorder that was too loud leaves them; floats: |x| >= 1
  bool silent;    // all samples are 0
  std::string comment;  // what whoever wrote it says of it
  std::string content_hash;
};

// Encodings: PCM of 8, 16, 24 or 32 bits, float of 32 or 64, A-law and mu-law, with a plain or an extensible header.
// DataError, with the file and the cause: no WAV file, one that is damaged or cut short, another encoding, more than
// one channel, another rate than is expected, no samples, samples that are not finite. Memory grows with what is there,
// not with what the header says. A length of 2^32 - 1, which programs write that cannot go back to their header, means
// "up to the end".
WavSound read_wav(InputFile file, std::optional<int> expected_rate = {});

enum class WavEncoding { pcm16, float32 };

// PCM: x becomes the integer nearest to 2^15 x, from -2^15 to 2^15 - 1, so that what was
// read from 16 bits is written with the same bits; beyond that it is clipped. Floats are never clipped. The file
// appears whole or not at all, and the same samples make the same bytes. RunError: a sample that is not finite, or more
// of them than a WAV file can hold. UsageError: no samples, a rate that is not positive. DataError: the file cannot be
// written. A comment comes back from read_wav where it is below 2000 bytes; "": none.
void write_wav(const std::filesystem::path& path, In samples, int rate, WavEncoding encoding = WavEncoding::pcm16,
               IfExists if_exists = IfExists::replace, const std::string& comment = "");

Index clipped_by_sixteen_bits(In samples);  // how many

}  // namespace quasar
