#include "front/denoise/denoise_report.hpp"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <variant>

#include "diagnostics/wording.hpp"
#include "front/text_table.hpp"
#include "io/printable.hpp"

namespace quasar {
namespace {

using Json = nlohmann::ordered_json;
using diagnostics::counted;

std::string seconds_text(double seconds) {
  return seconds < 100 ? fmt::format("{:.3g} s", seconds) : fmt::format("{:.0f} s", seconds);
}

std::string learned_from(const SpeechModel& model) {
  std::string speech = seconds_text(model.seconds_of_speech) + " of speech";
  if (model.files.empty()) return speech;
  return fmt::format("{} in {}", speech, counted(std::ssize(model.files), "recording", "recordings"));
}

std::string learned_components(const SpeechModel& model) {
  return fmt::format("{} of {} bins, alpha {:.4g}", counted(model.dictionary.cols(), "component", "components"),
                     model.dictionary.rows(), model.alpha);
}

std::string learned_how(const SpeechModel& model) { return counted(model.rounds, "round", "rounds"); }

std::string frames_text(const SpeechPlane& plane) {
  return fmt::format("frames of {} samples, one every {}, at {} Hz", plane.frame, plane.hop, plane.sample_rate);
}

Json denoise_settings(const Config& config) {
  Json json = Json::object();
  for (const auto& [name, value] : config.values()) {
    std::visit([&, &key = name](const auto& plain) { json[key] = plain; }, value);
  }
  return json;
}

Json finite_or_null(double number) { return std::isfinite(number) ? Json(number) : Json(nullptr); }

Json scores_json(const SoundScores& scores) {
  return {{"sdr", finite_or_null(scores.sdr)},
          {"sir", finite_or_null(scores.sir)},
          {"sar", finite_or_null(scores.sar)},
          {"segmental_snr", finite_or_null(scores.segmental_snr)}};
}

std::string scores_text(const DenoiseScores& scores) {
  TextTable table({"<dB", "SDR", "SIR", "SAR", "segmental SNR"});
  const auto add = [&](const char* name, const SoundScores& one) {
    table.add(
        {name, decibel_text(one.sdr), decibel_text(one.sir), decibel_text(one.sar), decibel_text(one.segmental_snr)});
  };
  add("before", scores.before);
  add("after", scores.after);
  return fmt::format("\n{}", table.text());
}

std::string sampled_how(const DenoiseReport& report) {
  return fmt::format("{}: {}", report.config.text("sampler"),
                     counted(report.config.integer("iterations"), "iteration", "iterations"));
}

// Of silence nothing is promised.
double promise_of(const Denoised& found) {
  return found.clean.isZero(0) ? std::numeric_limits<double>::quiet_NaN() : found.expected_sdr;
}

std::string promise_text(const Denoised& found) { return decibel_text(promise_of(found)) + " dB"; }

}  // namespace

std::string decibel_text(double decibels) {
  if (std::isnan(decibels)) return "-";
  return std::isinf(decibels) ? (decibels > 0 ? "inf" : "-inf") : fmt::format("{:.2f}", decibels);
}

std::string SpeechReport::text() const {
  return fmt::format("{}\n{}\n{}\n{}; level {:.3g}\n", learned_from(model), frames_text(model.plane),
                     learned_how(model), learned_components(model), model.level);
}

Json SpeechReport::to_json() const {
  return {{"files", model.files},
          {"seconds_of_speech", model.seconds_of_speech},
          {"sample_rate", model.plane.sample_rate},
          {"frame", model.plane.frame},
          {"hop", model.plane.hop},
          {"bins", model.dictionary.rows()},
          {"components", model.dictionary.cols()},
          {"alpha", model.alpha},
          {"activation_shape", model.activations.shape},
          {"activation_scale", model.activations.scale},
          {"level", model.level},
          {"rounds", model.rounds},
          {"seed", model.seed}};
}

std::string DenoiseReport::text() const {
  std::string text =
      fmt::format("{}: {} at {} Hz\n", printable(file), seconds_text(seconds_of_sound()), model.plane.sample_rate);
  text += fmt::format("{}: {}, {}\n", printable(model_file), learned_from(model),
                      counted(model.dictionary.cols(), "component", "components"));
  text +=
      fmt::format("{}; {}\nexpected SDR: {}\n", sampled_how(*this), seconds_text(found.seconds), promise_text(found));
  return scores ? text + scores_text(*scores) : text;
}

Json DenoiseReport::to_json() const {
  Json json = {{"file", file},
               {"model", model_file},
               {"sample_rate", model.plane.sample_rate},
               {"samples", samples},
               {"seconds_of_sound", seconds_of_sound()},
               {"settings", denoise_settings(config)},
               {"expected_sdr", finite_or_null(promise_of(found))},
               {"seconds", found.seconds}};
  if (scores) json["scores"] = {{"before", scores_json(scores->before)}, {"after", scores_json(scores->after)}};
  json["notes"] = notes;
  return json;
}

std::vector<DenoiseReport::Fact> DenoiseReport::facts() const {
  return {{"sound", fmt::format("{}: {} at {} Hz", file, seconds_text(seconds_of_sound()), model.plane.sample_rate)},
          {"speech", fmt::format("{}: {}, {}", model_file, learned_from(model), learned_components(model))},
          {"frames", frames_text(model.plane)},
          {"sampler", sampled_how(*this)},
          {"time", seconds_text(found.seconds)},
          {"promised", promise_text(found) + " expected SDR"}};
}

}  // namespace quasar
