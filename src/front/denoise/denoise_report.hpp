// What is said of learned speech and of a sound that was cleaned by it, as text and as JSON.
#pragma once

#include <nlohmann/json.hpp>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "front/denoise/denoise_scores.hpp"
#include "speech/denoise.hpp"

namespace quasar {

struct SpeechReport {
  const SpeechModel& model;

  std::string text() const;
  nlohmann::ordered_json to_json() const;
};

// A sound that was cleaned, and all that decided how.
struct DenoiseReport {
  std::string file, model_file;  // as they were named
  const SpeechModel& model;
  const Config& config;  // of denoise_params
  Index samples;
  const Denoised& found;
  std::optional<DenoiseScores> scores = {};
  std::string reference = {};           // the file that they are against, where it is one
  std::vector<std::string> notes = {};  // those of `found` and further ones

  double seconds_of_sound() const { return static_cast<double>(samples) / model.plane.sample_rate; }
  std::string text() const;
  nlohmann::ordered_json to_json() const;

  using Fact = std::pair<std::string, std::string>;
  std::vector<Fact> facts() const;  // name and text, for a page; the scores are not among them
};

std::string decibel_text(double decibels);  // "5.12"; "inf"; "-" where undefined

}  // namespace quasar
