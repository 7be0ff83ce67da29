// Speech from noise by alpha-stable matrix factorization: learning what speech looks like, and cleaning by it.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <quasar/config.hpp>
#include <quasar/core.hpp>

#include "speech/sound_work.hpp"
#include "speech/speech_model.hpp"

namespace quasar {

struct Clip {  // one recording
  std::string name;
  Vec samples;
};

std::span<const ParamSpec> speech_training_params();  // components, alpha, frame, hop, iterations, seed, ...
std::span<const ParamSpec> denoise_params();  // sampler, iterations, average, noise_components, noise_alpha, ...

class SpeechLearning final : public SoundWork {
 public:
  // DataError: recordings that cannot be learned from. UsageError: settings that do not go together.
  SpeechLearning(std::span<const Clip> clips, int sample_rate, const Config& config);
  ~SpeechLearning() override;

  bool done() const override;
  double share() const override;
  std::int64_t steps() const override;  // rounds
  double seconds() const;               // that it has taken
  void step() override;
  void save(Writer& out) const override;
  void load(Reader& in) override;
  SpeechModel result() const;  // RunError: it is not finite

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

SpeechModel learn_speech(std::span<const Clip> clips, int sample_rate, const Config& config,
                         const DenoiseProgress& progress);

struct Denoised {
  Vec samples = {};                         // the posterior mean of the speech, as long as the noisy recording
  Mat noisy = {}, clean = {}, spread = {};  // bins x frames: |x|^2, |E s|^2 and E|s - E s|^2, in the units of `samples`
  double expected_sdr = 0;  // 10 log10 of the energy of E s over that of the spread, dB: what the posterior promises
  double seconds = 0;
  std::vector<std::string> notes = {};  // what the user should know: silence, a level far from that learned from
};

class Denoising final : public SoundWork {
 public:
  // The model and the settings outlive it. DataError: a sound that cannot be cleaned by the model. UsageError: a
  // sampler that does not take the model, or settings that it does not take.
  Denoising(const Vec& samples, int sample_rate, const SpeechModel& model, const Config& config);
  ~Denoising() override;

  bool done() const override;
  double share() const override;
  std::int64_t steps() const override;  // rounds and iterations
  void step() override;
  void save(Writer& out) const override;
  void load(Reader& in) override;
  Denoised result() const;  // RunError: it is not finite

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

Denoised denoise(const Vec& samples, int sample_rate, const SpeechModel& model, const Config& config,
                 const DenoiseProgress& progress);

}  // namespace quasar
