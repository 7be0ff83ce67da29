#include "report/denoise_data.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <variant>
#include <vector>

#include "report/base64.hpp"
#include "report/command_text.hpp"
#include "report/rounded.hpp"

namespace quasar {
namespace {

using namespace report;
using Json = nlohmann::ordered_json;
using Bytes = std::vector<std::uint8_t>;

constexpr Index most_columns = 1200, most_rows = 256;  // of a picture: more than a screen can show
constexpr double decibels_shown = 70;                  // below the loudest cell
constexpr double uncertainty_end = 20;                 // dB to either side of an error that is as large as the speech
constexpr double faintest = 60;  // dB below the loudest: what is fainter is neither sure nor unsure
constexpr std::uint8_t highest_byte = 254, blank = 255;
constexpr Index most_samples_heard = 1'500'000;  // 4 MB of the page

Index frames_of_column(Index frames) { return (frames + most_columns - 1) / most_columns; }
Index bins_of_row(Index bins) { return (bins + most_rows - 2) / most_rows; }  // besides the bin of frequency 0

// Means of power over blocks of frames and bins.
Mat pooled(const Mat& power) {
  const Index wide = frames_of_column(power.cols()), tall = bins_of_row(power.rows());
  if (wide <= 1 && tall <= 1) return power;
  Mat means((power.rows() + tall - 1) / tall, (power.cols() + wide - 1) / wide);
  for (Index column = 0; column < means.cols(); ++column) {
    for (Index row = 0; row < means.rows(); ++row) {
      const Index rows = std::min(tall, power.rows() - row * tall),
                  columns = std::min(wide, power.cols() - column * wide);
      means(row, column) = power.block(row * tall, column * wide, rows, columns).mean();
    }
  }
  return means;
}

// share: of the way from the lower end of the scale to the upper one.
std::uint8_t byte_of(double share) {
  if (!std::isfinite(share)) return share > 0 ? highest_byte : 0;
  return static_cast<std::uint8_t>(std::lround(highest_byte * std::clamp(share, 0.0, 1.0)));
}

double below_loudest(double power, double loudest) { return 10 * std::log10(power / loudest); }

Bytes loudness_bytes(const Mat& power, double loudest) {
  Bytes bytes;
  for (const double one : power.reshaped()) {
    bytes.push_back(byte_of(1 + below_loudest(one, loudest) / decibels_shown));
  }
  return bytes;
}

// The standard deviation of the speech over the size of its mean, on a logarithmic scale.
Bytes uncertainty_bytes(const Mat& clean, const Mat& spread, double loudest) {
  Bytes bytes;
  for (Index i = 0; i < clean.size(); ++i) {
    const double mean = clean.reshaped()[i], error = spread.reshaped()[i];
    const bool faint = below_loudest(mean + error, loudest) < -faintest;
    const double share = 0.5 + 10 * std::log10(error / mean) / (2 * uncertainty_end);
    bytes.push_back(faint ? blank : byte_of(share));
  }
  return bytes;
}

Json pictures_json(const DenoiseReport& report) {
  const Mat noisy = pooled(report.found.noisy), clean = pooled(report.found.clean),
            spread = pooled(report.found.spread);
  if (noisy.size() == 0) return nullptr;
  const double loudest = std::max({noisy.maxCoeff(), clean.maxCoeff(), std::numeric_limits<double>::min()});
  const auto& [sample_rate, frame, hop] = report.model.plane;
  const double rate = sample_rate;
  const Index before = (frame - 1) / hop * hop;  // so many samples before the sound the first frame begins
  const auto wide = static_cast<double>(frames_of_column(report.found.noisy.cols()) * hop);
  return {{"rows", noisy.rows()},
          {"columns", noisy.cols()},
          {"start", rounded((static_cast<double>(frame - hop) / 2 - static_cast<double>(before)) / rate)},
          {"step", rounded(wide / rate)},
          {"seconds", rounded(report.seconds_of_sound())},
          {"highest", rate / 2},
          {"low", -decibels_shown},
          {"high", 0},
          {"uncertainty_end", uncertainty_end},
          {"before", base64(loudness_bytes(noisy, loudest))},
          {"after", base64(loudness_bytes(clean, loudest))},
          {"uncertainty", base64(uncertainty_bytes(clean, spread, loudest))}};
}

std::string sixteen_bits(In samples) {
  std::vector<std::int16_t> values;
  for (const double x : samples) {
    values.push_back(static_cast<std::int16_t>(std::clamp(std::nearbyint(0x1p15 * x), -0x1p15, 0x1p15 - 1)));
  }
  return base64(values);
}

Json sound_json(const DenoiseReport& report, In noisy) {
  if (noisy.size() > most_samples_heard) return nullptr;
  return {{"rate", report.model.plane.sample_rate},
          {"before", sixteen_bits(noisy)},
          {"after", sixteen_bits(report.found.samples)}};
}

Json score_rows(const DenoiseReport& report) {
  if (!report.scores) return nullptr;
  Json rows = Json::array();
  const auto add = [&](const char* name, const SoundScores& one) {
    rows.push_back(
        {name, decibel_text(one.sdr), decibel_text(one.sir), decibel_text(one.sar), decibel_text(one.segmental_snr)});
  };
  add("before", report.scores->before);
  add("after", report.scores->after);
  return rows;
}

Json note_problems(const DenoiseReport& report) {
  Json all = Json::array();
  for (const std::string& note : report.notes) {
    all.push_back({{"kind", "sound"}, {"what", note}, {"advice", ""}, {"parameters", ""}});
  }
  return all;
}

std::string denoise_command(const DenoiseReport& report) {
  std::string command =
      fmt::format("quasar denoise run {} --model {}", shell_quoted(report.file), shell_quoted(report.model_file));
  if (!report.reference.empty()) command += " --reference " + shell_quoted(report.reference);
  for (const ParamSpec& spec : denoise_params()) {
    const auto value =
        std::visit([](const auto& plain) { return Json(plain); }, report.config.values().find(spec.name)->second);
    if (!is_default(spec, value))
      command += fmt::format(" {} {}", flag_text(std::string(spec.name)), shell_quoted(value_text(value)));
  }
  return command;
}

}  // namespace

Json denoise_data(const DenoiseReport& report, In noisy) {
  Json data;
  data["title"] = fmt::format("Speech in {}", report.file);
  data["facts"] = Json::array();
  for (const auto& [name, text] : report.facts()) data["facts"].push_back({name, text});
  data["problems"] = note_problems(report);
  data["checked"] = {"silence", "clipping", "the level"};
  data["command"] = denoise_command(report);
  data["scores"] = score_rows(report);
  data["pictures"] = pictures_json(report);
  data["sound"] = sound_json(report, noisy);
  return data;
}

}  // namespace quasar
