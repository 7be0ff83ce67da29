#include "front/denoise/denoise_scores.hpp"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <optional>

#include <quasar/errors.hpp>

#include "audio/separation_scores.hpp"

namespace quasar {
namespace {

constexpr double undefined_score = std::numeric_limits<double>::quiet_NaN();
constexpr double most_decibels = 100;  // 16 bits have a range of 96; beyond lies rounding
constexpr Index filter_taps = 512;     // of BSS Eval

bool is_silent(In sound) { return (sound.array() == 0).all(); }

double within_range(double decibels) {
  return decibels > most_decibels ? std::numeric_limits<double>::infinity() : decibels;
}

class SoundScorer {
 public:
  SoundScorer(In reference, In noisy, int rate) : reference_(reference), rate_(rate) {
    const Vec noise = noisy - reference;
    Mat sources(reference.size(), is_silent(noise) ? 1 : 2);
    sources.col(0) = reference;
    if (sources.cols() == 2) sources.col(1) = noise;
    least_ = filter_taps * sources.cols();
    if (sources.rows() >= least_) separation_.emplace(sources, filter_taps);
  }

  SoundScores score(In sound) {
    if (is_silent(sound)) return {undefined_score, undefined_score, undefined_score, undefined_score};
    SoundScores found{undefined_score, undefined_score, undefined_score, undefined_score};
    if (has_separation()) {
      const SeparationScores parts = separation_->score(sound, 0);
      found = {within_range(parts.sdr), within_range(parts.sir), within_range(parts.sar), undefined_score};
    }
    if (has_segments()) found.segmental_snr = segmental_snr(reference_, sound, rate_);
    return found;
  }

  bool has_separation() const { return separation_.has_value(); }
  Index least_for_separation() const { return least_; }
  bool has_segments() const {
    const Index frame = segment_samples(rate_);
    return frame > 0 && reference_.size() >= frame;
  }

 private:
  Vec reference_;
  int rate_;
  Index least_ = 0;
  std::optional<SeparationScorer> separation_;  // none: the sounds are too short for its filters
};

}  // namespace

DenoiseScores denoise_scores(In reference, In noisy, In clean, int sample_rate) {
  if (reference.size() != noisy.size()) {
    throw DataError(fmt::format("the reference has {} samples, the noisy sound {}: they are to be of the same moment",
                                reference.size(), noisy.size()));
  }
  if (is_silent(reference)) throw DataError("the reference is silent: there is nothing to compare with");
  SoundScorer scorer(reference, noisy, sample_rate);
  DenoiseScores found{scorer.score(noisy), scorer.score(clean), {}};
  if (!scorer.has_separation()) {
    found.notes.push_back(fmt::format("SDR, SIR and SAR need {} samples, and there are {}",
                                      scorer.least_for_separation(), reference.size()));
  }
  if (!scorer.has_segments()) found.notes.emplace_back("the segmental SNR needs a frame of 30 ms");
  if (is_silent(clean)) found.notes.emplace_back("what is left is silence, which has no scores");
  return found;
}

}  // namespace quasar
