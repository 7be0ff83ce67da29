// How much of a known sound there is in a noisy and in a cleaned one.
#pragma once

#include <string>
#include <vector>

#include <quasar/core.hpp>

namespace quasar {

// Of one sound against the clean one, in dB (audio/separation_scores.hpp). Infinite: no error is left that 16 bits
// could tell. NaN: not defined.
struct SoundScores {
  double sdr, sir, sar;  // of all errors, of the noise alone, of what is neither speech nor noise
  double segmental_snr;
};

struct DenoiseScores {
  SoundScores before, after;
  std::vector<std::string> notes;  // what is not defined, and why
};

// The noise is taken to be what the noisy sound has and the reference has not. DataError: the reference is silent, or
// of another length.
DenoiseScores denoise_scores(In reference, In noisy, In clean, int sample_rate);

}  // namespace quasar
