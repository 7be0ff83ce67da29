// What `quasar denoise train` learns from clean speech, and all that `quasar denoise run` needs of it.
#pragma once

#include <string>
#include <vector>

#include <quasar/core.hpp>

namespace quasar {

constexpr int highest_rate = 1 << 24;  // samples in a second

// The time-frequency plane: frames of `frame` samples, one every `hop`, of sound with so many samples a second.
struct SpeechPlane {
  int sample_rate = 0;
  Index frame = 512, hop = 128;
  Index bins() const { return frame / 2 + 1; }
};

struct ActivationLaw {  // (x / scale)^(-2/alpha) ~ Gamma(shape), the law that is conjugate to stable numbers
  double shape = 1, scale = 1;
};

struct SpeechModel {
  SpeechPlane plane;
  double alpha = 1.2;   // the tail of speech
  Mat dictionary = {};  // bins x components, columns with mean 1: dispersions of a frame are its combinations
  ActivationLaw activations = {};  // of the components, where the mean square of the samples is 1
  double level = 1;                // the root mean square of the samples it was learned from

  // How it was learned, to be shown.
  std::vector<std::string> files = {};
  double seconds_of_speech = 0;
  std::int64_t rounds = 0;
  std::uint64_t seed = 1;
  std::string work = {};  // JSON of all that decided what was learned; of recordings that are no files: empty
};

}  // namespace quasar
