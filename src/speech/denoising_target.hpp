// What a sampler cleans a spectrogram by: speech with the dictionary that was learned beside noise that is not known,
// and where it begins.
#pragma once

#include <functional>
#include <memory>

#include <quasar/config.hpp>
#include <quasar/core.hpp>
#include <quasar/rng.hpp>

#include "speech/speech_model.hpp"

namespace quasar {

struct DenoisingStart {
  std::unique_ptr<Target> target;  // AlphaMixture, or for gibbs AlphaComponents: source 0 is the speech
  Vec x;
};

// squares: |x|^2 where the mean square of the samples is 1. after_round: of the uphill moves.
DenoisingStart denoising_start(const Mat& squares, const SpeechModel& model, const Config& config, const Rng& rng,
                               const std::function<void()>& after_round);

}  // namespace quasar
