// What a sampler cleans a spectrogram by: speech with the dictionary that was learned beside noise that is not known,
// and where it begins.
#pragma once

#include <cstdint>
#include <memory>

#include <quasar/config.hpp>
#include <quasar/core.hpp>
#include <quasar/fields.hpp>
#include <quasar/rng.hpp>

#include "models/alpha/alpha_mixture.hpp"
#include "speech/speech_model.hpp"

namespace quasar {

struct DenoisingStart {
  std::unique_ptr<Target> target;  // AlphaMixture, or for gibbs AlphaComponents: source 0 is the speech
  Vec x;
};

// The way there: moves uphill from a start by the priors, a round at a time.
class UphillMoves {
 public:
  // squares: |x|^2 where the mean square of the samples is 1. All but rng outlive it.
  UphillMoves(const Mat& squares, const SpeechModel& model, const Config& config, const Rng& rng);

  std::int64_t rounds() const { return round_; }  // that were made
  bool done() const { return round_ == all_rounds_; }
  void move();
  DenoisingStart start();  // from where they have led; there are no moves afterwards
  void save(Writer& out) const;
  void load(Reader& in);  // into one that was made as if new. DataError

 private:
  struct Point;
  Point point() const;

  const Mat& squares_;
  const SpeechModel& model_;
  const Config& config_;
  Rng rng_;
  std::unique_ptr<AlphaMixture> mixture_;
  Vec x_;
  Index moving_;  // coordinates of W and H, which come first
  std::int64_t round_ = 0, all_rounds_;
};

DenoisingStart denoising_start(const Mat& squares, const SpeechModel& model, const Config& config, const Rng& rng);

}  // namespace quasar
