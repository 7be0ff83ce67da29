// What every front end does about `denoise`: a noisy sound comes from a file or from memory, and is reported on.
#pragma once

#include <string>
#include <vector>

#include "front/denoise/denoise_report.hpp"

namespace quasar {

struct SoundToClean {
  std::string name;
  Vec samples;
  int rate = 0;
  std::vector<std::string> notes = {};  // on how it was recorded
  std::string content_hash = {};        // of its file
};

// DataError: the file cannot be read, or its sample rate is not that of the model.
SoundToClean read_sound(const std::string& file, const SpeechModel& model, const std::string& model_name);

// DataError: the rates differ.
void require_rate(const std::string& name, int rate, const SpeechModel& model, const std::string& model_name);

// The same sound without its noise. DataError: it cannot be read, is silent, or of another length or rate.
Vec read_reference(const std::string& file, const SoundToClean& noisy);

// All but the scores. The report refers to what it is of.
DenoiseReport report_of(const SoundToClean& sound, const std::string& model_name, const SpeechModel& model,
                        const Config& config, const Denoised& found);

// What writing a sound with 16 bits a sample takes from it: what was clipped, or all of it.
std::vector<std::string> notes_on_rounding(const std::string& file, In samples);

void add_scores(DenoiseReport& report, In reference, const SoundToClean& sound);

}  // namespace quasar
