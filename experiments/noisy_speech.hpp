// The sentences of NOIZEUS (Hu and Loizou 2007): clean, and in four noises of real life at 5 dB.
#pragma once

#include <string>
#include <vector>

#include <quasar/experiment.hpp>

#include "speech/denoise.hpp"

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
  std::vector<NoisySentence> tuned;  // settings are chosen on these
  std::vector<NoisySentence> test;
};

// DATA/noizeus: of every third sentence eight are learned from and two settings chosen on; the other twenty are tested.
// quick: two, one and two. UsageError, DataError
NoisySpeech read_noisy_speech(const ExperimentOptions& options);

}  // namespace quasar
