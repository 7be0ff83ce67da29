// The sentences of NOIZEUS (Hu and Loizou 2007): clean, and in four noises of real life at 5 dB.
#pragma once

#include <string>
#include <vector>

#include <quasar/experiment.hpp>

#include "front/denoise/denoise.hpp"

namespace quasar {

inline constexpr int sentences_rate = 8000;
inline constexpr const char* noise_names[] = {"airport", "babble", "car", "street"};

struct NoisySentence {
  std::string name;
  Vec clean;
  std::vector<Vec> noisy;  // of each noise
};

struct NoisySpeech {
  std::vector<Clip> training;        // clean
  std::vector<NoisySentence> tuned;  // of the training sentences: settings are chosen on these
  std::vector<NoisySentence> test;
};

// DATA/noizeus: every third sentence is learned from, the other twenty are tested; quick: three and two. UsageError,
// DataError
NoisySpeech read_noisy_speech(const ExperimentOptions& options);

}  // namespace quasar
