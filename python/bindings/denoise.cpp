#include "denoise.hpp"

#include <nanobind/stl/map.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include <quasar/errors.hpp>

#include "arrays.hpp"
#include "front/denoise/clean_sound.hpp"
#include "front/denoise/denoise_report.hpp"
#include "front/denoise/durable_sound.hpp"
#include "front/denoise/read_clips.hpp"
#include "front/denoise/speech_file.hpp"
#include "interpreter_lock.hpp"
#include "io/json_text.hpp"
#include "io/wav.hpp"
#include "report/denoise_page.hpp"

namespace quasar::python {
namespace {

using Texts = std::vector<std::string>;

// Work that one thread does while others ask how far it is, or to stop.
class SoundProgress {
 public:
  void stop() { stopped_ = true; }
  double share() const { return share_; }
  DenoiseProgress watch() {
    return [this](double share) {
      share_ = share;
      return !stopped_;
    };
  }
  void require_going_on() const {
    if (stopped_) throw RunError("stopped before its end");
  }

 private:
  std::atomic<bool> stopped_ = false;
  std::atomic<double> share_ = 0;
};

struct LearnedSpeech {
  SpeechModel model;
  std::string name;  // in messages: its file, where it has one
  Texts notes = {};  // on what it was learned from, where that was just now
};

struct CleanedSound {
  LearnedSpeech speech;
  Config config;
  SoundToClean sound;
  Denoised found = {};

  DenoiseReport report() const { return report_of(sound, speech.name, speech.model, config, found); }
};

IfExists if_exists(bool overwrite) { return overwrite ? IfExists::replace : IfExists::fail; }

// A file that exists, and a folder that does not, are told before the work.
void check_file(const std::string& path, bool overwrite) {
  std::error_code ignored;
  if (!overwrite && std::filesystem::exists(path, ignored)) {
    throw UsageError(path + " exists; --overwrite replaces it");
  }
}

LearnedSpeech learn(const ReadClips& read, const Settings& settings, SoundProgress& progress) {
  const Config config("denoise train", speech_training_params(), settings);
  LearnedSpeech learned{learn_speech(read.clips, read.sample_rate, config, progress.watch()), "the model", read.notes};
  progress.require_going_on();
  if (!read.content_hashes.empty()) learned.model.work = work_text(decisive(read, config));
  return learned;
}

LearnedSpeech learn_from_files(const Texts& files, const Settings& settings, SoundProgress& progress) {
  const InterpreterUnlocked unlocked;
  return learn(read_clips(files), settings, progress);
}

LearnedSpeech learn_from_arrays(const std::vector<Vector>& arrays, int rate, const Settings& settings,
                                SoundProgress& progress) {
  ReadClips read;
  read.sample_rate = rate;
  for (const Vector& array : arrays) {
    read.clips.push_back({.name = "clip " + std::to_string(read.clips.size() + 1), .samples = as_vec(array)});
  }
  const InterpreterUnlocked unlocked;
  return learn(read, settings, progress);
}

CleanedSound clean(const LearnedSpeech& speech, const Settings& settings, SoundToClean sound, SoundProgress& progress) {
  CleanedSound cleaned{speech, Config("denoise run", denoise_params(), settings), std::move(sound)};
  cleaned.found = denoise(cleaned.sound.samples, cleaned.sound.rate, speech.model, cleaned.config, progress.watch());
  progress.require_going_on();
  return cleaned;
}

CleanedSound clean_file(const std::string& file, const LearnedSpeech& speech, const Settings& settings,
                        SoundProgress& progress) {
  const InterpreterUnlocked unlocked;
  return clean(speech, settings, read_sound(file, speech.model, speech.name), progress);
}

CleanedSound clean_array(const Vector& samples, int rate, const LearnedSpeech& speech, const Settings& settings,
                         SoundProgress& progress) {
  SoundToClean sound{.name = "sound", .samples = as_vec(samples), .rate = rate};
  const InterpreterUnlocked unlocked;
  require_rate(sound.name, sound.rate, speech.model, speech.name);
  return clean(speech, settings, std::move(sound), progress);
}

NewArray<double> array_of_rows(const Mat& matrix) {
  auto array = new_array<double>({static_cast<std::size_t>(matrix.rows()), static_cast<std::size_t>(matrix.cols())});
  using Rows = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  Eigen::Map<Rows>(array.data(), matrix.rows(), matrix.cols()) = matrix;
  return array;
}

NewArray<double> array_of_samples(const Vec& vector) {
  auto array = new_array<double>({static_cast<std::size_t>(vector.size())});
  std::copy_n(vector.data(), vector.size(), array.data());
  return array;
}

// Of the noisy and of the cleaned sound, in the order of SoundScores; what is not defined, and why.
std::pair<std::vector<double>, Texts> scores_of(const CleanedSound& cleaned, const Vector& reference) {
  const Vec truth = as_vec(reference);
  const InterpreterUnlocked unlocked;
  const auto [before, after, notes] =
      denoise_scores(truth, cleaned.sound.samples, cleaned.found.samples, cleaned.sound.rate);
  return {{before.sdr, before.sir, before.sar, before.segmental_snr,  //
           after.sdr, after.sir, after.sar, after.segmental_snr},
          notes};
}

// With the scores where there is a reference; an empty one: none.
std::string page_of_sound(const CleanedSound& cleaned, const Vector& reference) {
  DenoiseReport report = cleaned.report();
  const Vec truth = as_vec(reference);
  const InterpreterUnlocked unlocked;
  if (truth.size() > 0) add_scores(report, truth, cleaned.sound);
  return denoise_page(report, cleaned.sound.samples);
}

Texts save_sound(const CleanedSound& cleaned, const std::string& path, bool overwrite) {  // what rounding has taken
  check_file(path, overwrite);
  const auto& [speech, config, sound, found] = cleaned;
  const std::string work = sound.content_hash.empty() ? "" : work_text(decisive(sound, speech.model, config));
  write_wav(path, found.samples, sound.rate, WavEncoding::pcm16, if_exists(overwrite), work);
  return notes_on_rounding(path, found.samples);
}

void save_speech(const LearnedSpeech& speech, const std::string& path, bool overwrite) {
  check_file(path, overwrite);
  write_speech(AtomicFile(path), speech.model, if_exists(overwrite));
}

}  // namespace

void add_denoise(nb::module_& module) {
  nb::class_<SoundProgress>(module, "SoundProgress")
      .def(nb::init<>())
      .def("stop", &SoundProgress::stop)
      .def("share", &SoundProgress::share);
  nb::class_<LearnedSpeech>(module, "LearnedSpeech")
      .def("json", [](const LearnedSpeech& s) { return as_utf8(SpeechReport{s.model}.to_json()).dump(); })
      .def("text", [](const LearnedSpeech& s) { return SpeechReport{s.model}.text(); })
      .def("notes", [](const LearnedSpeech& s) { return s.notes; })
      .def("dictionary", [](const LearnedSpeech& s) { return array_of_rows(s.model.dictionary); })
      .def("save", save_speech, nb::arg("path"), nb::arg("overwrite"));
  nb::class_<CleanedSound>(module, "CleanedSound")
      .def("json", [](const CleanedSound& s) { return as_utf8(s.report().to_json()).dump(); })
      .def("scores", scores_of, nb::arg("reference"))
      .def("text", [](const CleanedSound& s) { return s.report().text(); })
      .def("page", page_of_sound, nb::arg("reference"))
      .def("samples", [](const CleanedSound& s) { return array_of_samples(s.found.samples); })
      .def("noisy", [](const CleanedSound& s) { return array_of_rows(s.found.noisy); })
      .def("clean", [](const CleanedSound& s) { return array_of_rows(s.found.clean); })
      .def("spread", [](const CleanedSound& s) { return array_of_rows(s.found.spread); })
      .def(
          "reference",
          [](const CleanedSound& s, const std::string& path) {
            return array_of_samples(read_reference(path, s.sound));
          },
          nb::arg("path"))
      .def("save", save_sound, nb::arg("path"), nb::arg("overwrite"));
  module.def(
      "read_speech",
      [](const std::string& path) {
        return LearnedSpeech{read_speech(path), path};
      },
      nb::arg("path"));
  module.def("learn_speech_from_files", learn_from_files, nb::arg("files"), nb::arg("settings"), nb::arg("progress"));
  module.def("learn_speech_from_arrays", learn_from_arrays, nb::arg("arrays"), nb::arg("rate"), nb::arg("settings"),
             nb::arg("progress"));
  module.def("clean_file", clean_file, nb::arg("file"), nb::arg("speech"), nb::arg("settings"), nb::arg("progress"));
  module.def("clean_array", clean_array, nb::arg("samples"), nb::arg("rate"), nb::arg("speech"), nb::arg("settings"),
             nb::arg("progress"));
}

}  // namespace quasar::python
