#include "front/denoise/clean_sound.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include <quasar/errors.hpp>

#include "diagnostics/wording.hpp"
#include "front/denoise/read_clips.hpp"
#include "io/wav.hpp"

namespace quasar {
namespace {

void add_once(std::vector<std::string>& notes, const std::string& one) {
  if (std::ranges::find(notes, one) == notes.end()) notes.push_back(one);
}

}  // namespace

void require_rate(const std::string& name, int rate, const SpeechModel& model, const std::string& model_name) {
  const int known = model.plane.sample_rate;
  if (rate == known) return;
  throw DataError(fmt::format(
      "{} has {} samples a second, {} was learned from {}: sox IN OUT rate {} makes them the same, or train on "
      "recordings of {}",
      name, rate, model_name, known, known, rate));
}

SoundToClean read_sound(const std::string& file, const SpeechModel& model, const std::string& model_name) {
  WavSound read = read_wav(InputFile(file));
  require_rate(file, read.rate, model, model_name);
  SoundToClean sound{.name = file, .samples = std::move(read.samples), .rate = read.rate};
  sound.content_hash = std::move(read.content_hash);
  if (const std::string clipping = note_on_clipping(read.clipped); !clipping.empty()) sound.notes.push_back(clipping);
  return sound;
}

Vec read_reference(const std::string& file, const SoundToClean& noisy) {
  WavSound read = read_wav(InputFile(file));
  if (read.rate != noisy.rate) {
    throw DataError(fmt::format("{} has {} samples a second, {} has {}: a reference is the same moment without noise",
                                file, read.rate, noisy.name, noisy.rate));
  }
  if (read.samples.size() != noisy.samples.size()) {
    throw DataError(fmt::format("{} has {} samples, {} has {}: a reference is the same moment without noise", file,
                                read.samples.size(), noisy.name, noisy.samples.size()));
  }
  if (read.silent) throw DataError(file + " is silent: there is nothing to compare with");
  return std::move(read.samples);
}

DenoiseReport report_of(const SoundToClean& sound, const std::string& model_name, const SpeechModel& model,
                        const Config& config, const Denoised& found) {
  DenoiseReport report{sound.name, model_name, model, config, sound.samples.size(), found};
  report.notes = sound.notes;
  for (const std::string& one : found.notes) add_once(report.notes, one);
  return report;
}

std::vector<std::string> notes_on_rounding(const std::string& file, In samples) {
  std::vector<std::string> notes;
  if (const Index clipped = clipped_by_sixteen_bits(samples); clipped > 0) {
    notes.push_back(fmt::format("{}: cut off where {} beyond the scale of 16 bits", file,
                                diagnostics::counted(clipped, "sample lay", "samples lay")));
  }
  const double peak = samples.cwiseAbs().maxCoeff();
  if (peak > 0 && std::nearbyint(0x1p15 * peak) == 0) {
    notes.push_back(fmt::format(
        "{}: silence, as its largest sample, {:.2g}, is less than half a step of 16 bits; scale the recording", file,
        peak));
  }
  return notes;
}

void add_scores(DenoiseReport& report, In reference, const SoundToClean& sound) {
  report.scores = denoise_scores(reference, sound.samples, report.found.samples, sound.rate);
  for (const std::string& one : report.scores->notes) add_once(report.notes, one);
}

}  // namespace quasar
