// quasar denoise train clean.wav ...
#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include <quasar/errors.hpp>

#include "denoise.hpp"
#include "front/denoise/denoise_report.hpp"
#include "front/denoise/read_clips.hpp"
#include "front/denoise/speech_file.hpp"
#include "io/json_text.hpp"
#include "io/printable.hpp"
#include "param_flags.hpp"
#include "terminal.hpp"

namespace quasar::cli {
namespace {

struct TrainOptions {
  std::vector<std::string> files;
  Settings given;  // of speech_training_params
  std::string out = "speech.nc";
  bool overwrite = false, quiet = false, json = false;
};

void print_trained(const TrainOptions& options, const ReadClips& read, const SpeechModel& model, double seconds) {
  const SpeechReport report{model};
  if (options.json) {
    nlohmann::ordered_json json = report.to_json();
    json["seconds"] = seconds;
    json["notes"] = read.notes;
    json["output"] = options.out;
    fmt::print("{}\n", as_utf8(json).dump(2));
  } else if (!options.quiet) {
    fmt::print("{}{:.3g} s\n\n{} written\n", report.text(), seconds, printable(options.out));
  }
}

int run_denoise_train(const TrainOptions& options) {
  stop_at_once_on_signals();
  const Config config = config_of_flags("denoise train", speech_training_params(), options.given);
  require_ending(options.out, ".nc", "--out", "learned speech is written as NAME.nc");
  check_output(TableOutput{options.out, options.overwrite}, options.files);
  const ReadClips read = read_clips(options.files);
  { const AtomicFile removed_at_once(options.out); }  // a file that cannot be written is told before the work
  if (!options.quiet) {
    for (const std::string& one : read.notes) note("quasar: {}\n", printable(one));
  }
  SpeechModel model;
  const auto began = std::chrono::steady_clock::now();
  with_sound_progress(config.integer("rounds"), "rounds", options.quiet, [&](const DenoiseProgress& progress) {
    model = learn_speech(read.clips, read.sample_rate, config, progress);
  });
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
  write_speech(AtomicFile(options.out), model, options.overwrite ? IfExists::replace : IfExists::fail);
  print_trained(options, read, model, seconds);
  return 0;
}

}  // namespace

Command add_denoise_train(CLI::App& denoise) {
  auto options = std::make_shared<TrainOptions>();
  CLI::App* command = denoise.add_subcommand("train", "learn what speech is from recordings without noise");
  command->add_option("files", options->files, "clean recordings of speech: WAV, one channel, all of one sample rate")
      ->required()
      ->type_name("FILE");
  add_param_flags(*command, speech_training_params(), options->given);
  command->add_option("--out", options->out, "the file of speech to write [speech.nc]")->type_name("SPEECH.NC");
  command->add_flag("--overwrite", options->overwrite, "replace a file that exists");
  command->add_flag("--quiet", options->quiet, "no text on standard output, no notes, no progress");
  command->add_flag("--json", options->json, "one JSON object on standard output");
  command->footer("Example:\n  quasar denoise train examples/sounds/train-*.wav --out speech.nc");
  return [options] { return run_denoise_train(*options); };
}

}  // namespace quasar::cli
