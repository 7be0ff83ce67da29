// What `quasar denoise train` learns from clean speech, and all that `quasar denoise run` needs of it.
#pragma once

#include <string>
#include <vector>

#include <quasar/core.hpp>

namespace quasar {

// The time-frequency plane: frames of `frame` samples, one every `hop`, of sound with so many samples a second.
struct SpeechPlane {
  int sample_rate = 0;
  Index frame = 512, hop = 128;
  Index bins() const { return frame / 2 + 1; }
};

// Laws of the activations of one column of the dictionary: x^power ~ Gamma(shape), scaled by scale^power (Stacy 1962).
struct ActivationLaws {
  double shape = 1, power = 1;
  Vec scales;  // one for each component
};

struct SpeechModel {
  SpeechPlane plane;
  double alpha = 1.2;  // the tail of speech
  Mat dictionary;      // bins x components, columns with mean 1: dispersions of a frame are its combinations
  ActivationLaws activations;
  double level = 1;  // samples are divided by it: the root mean square of what was learned from

  // How it was learned, to be shown.
  std::vector<std::string> files;
  double seconds_of_speech = 0;
  std::string sampler;
  std::int64_t iterations = 0;
  std::uint64_t seed = 1;
};

}  // namespace quasar
