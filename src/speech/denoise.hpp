// Speech from noise by alpha-stable matrix factorization: learning what speech looks like, and cleaning by it.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include <quasar/config.hpp>
#include <quasar/core.hpp>

#include "speech/speech_model.hpp"

namespace quasar {

struct Clip {  // one recording
  std::string name;
  Vec samples;
};

// Called now and then with the share of the work that is done; false stops it.
using DenoiseProgress = std::function<bool(double)>;

std::span<const ParamSpec> speech_training_params();  // components, alpha, frame, hop, iterations, seed, ...
std::span<const ParamSpec> denoise_params();  // sampler, iterations, average, noise_components, noise_alpha, ...

SpeechModel learn_speech(std::span<const Clip> clips, int sample_rate, const Config& config,
                         const DenoiseProgress& progress);

struct Denoised {
  Vec samples = {};                         // the posterior mean of the speech, as long as the noisy recording
  Mat noisy = {}, clean = {}, spread = {};  // bins x frames: |x|^2, |E s|^2 and E|s - E s|^2, in the units of `samples`
  double expected_sdr = 0;  // 10 log10 of the energy of E s over that of the spread, dB: what the posterior promises
  double seconds = 0;
  std::vector<std::string> notes =
      {};  // what the user should know: silence, clipped samples, a level far from that learned from
};

Denoised denoise(const Vec& samples, int sample_rate, const SpeechModel& model, const Config& config,
                 const DenoiseProgress& progress);

}  // namespace quasar
