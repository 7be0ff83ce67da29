// quasar denoise train clean.wav ...
#include <fmt/core.h>
#include <nlohmann/json.hpp>

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
  SoundDurability durability;
  bool quiet = false, json = false;
};

// seconds: null where it was learned earlier
void print_trained_json(const TrainOptions& options, const ReadClips& read, const SpeechModel& model,
                        const nlohmann::ordered_json& seconds) {
  nlohmann::ordered_json json = SpeechReport{model}.to_json();
  json["seconds"] = seconds;
  json["notes"] = read.notes;
  json["output"] = options.out;
  fmt::print("{}\n", as_utf8(json).dump(2));
}

void print_trained(const TrainOptions& options, const ReadClips& read, const SpeechModel& model, double seconds) {
  if (options.json) {
    print_trained_json(options, read, model, seconds);
  } else if (!options.quiet) {
    fmt::print("{}{:.3g} s\n\n{} written\n", SpeechReport{model}.text(), seconds, printable(options.out));
  }
}

int run_denoise_train(const TrainOptions& options) {
  stop_at_once_on_signals();
  const Config config = config_of_flags("denoise train", speech_training_params(), options.given);
  require_ending(options.out, ".nc", "--out", "learned speech is written as NAME.nc");
  const Durability durability = options.durability.of("denoise train", options.out);
  check_output(TableOutput{options.out, true}, options.files);
  check_output(durability);
  const ReadClips read = read_clips(options.files);
  if (!options.quiet) {
    for (const std::string& one : read.notes) note("quasar: {}\n", printable(one));
  }
  const nlohmann::json wanted = decisive(read, config);
  if (already_learned(durability, wanted)) {
    tell_it_is_complete(options.out);
    if (options.json) print_trained_json(options, read, read_speech(options.out), {});
    return 0;
  }
  SpeechLearning work(read.clips, read.sample_rate, config);
  DurableWork durable = durable_sound_work(work, durability, wanted);
  if (!work_to_the_end(work, durable, config.integer("rounds"), "rounds", options.quiet)) {
    return tell_it_was_stopped(durable);
  }
  SpeechModel model = work.result();
  model.work = work_text(wanted);
  write_speech(AtomicFile(options.out, durable.folder()), model, durable.if_exists());
  durable.finish();
  print_trained(options, read, model, work.seconds());
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
  add_durability_flags(*command, options->durability);
  command->add_flag("--quiet", options->quiet, "no text on standard output, no notes, no progress");
  command->add_flag("--json", options->json, "one JSON object on standard output");
  command->footer("Example:\n  quasar denoise train examples/sounds/train-*.wav --out speech.nc");
  return [options] { return run_denoise_train(*options); };
}

}  // namespace quasar::cli
