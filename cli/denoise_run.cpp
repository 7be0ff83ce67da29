// quasar denoise run noisy.wav
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include <quasar/errors.hpp>

#include "denoise.hpp"
#include "front/denoise/clean_sound.hpp"
#include "front/denoise/denoise_report.hpp"
#include "front/denoise/speech_file.hpp"
#include "io/json_text.hpp"
#include "io/printable.hpp"
#include "io/run_file.hpp"
#include "io/wav.hpp"
#include "param_flags.hpp"
#include "report/denoise_page.hpp"
#include "report/page.hpp"
#include "terminal.hpp"

namespace quasar::cli {
namespace {

struct RunOptions {
  std::string file, model = "speech.nc", out = "clean.wav";
  Settings given;  // of denoise_params
  std::optional<std::string> page, reference;
  SoundDurability durability;
  bool quiet = false, json = false;
};

std::vector<std::string> inputs_of(const RunOptions& options) {
  std::vector<std::string> inputs = {options.file, options.model};
  if (options.reference) inputs.push_back(*options.reference);
  return inputs;
}

void check_sound_outputs(const RunOptions& options, const Durability& durability) {
  require_ending(options.out, ".wav", "--out", "sound is written as NAME.wav");
  check_output(TableOutput{options.out, true}, inputs_of(options));
  check_output(durability);
  if (options.page && same_file(*options.page, options.out)) {
    throw UsageError("--out and --report name the same file");
  }
}

void check_page(const RunOptions& options, IfExists if_exists) {
  if (!options.page) return;
  check_output(TableOutput{options.page, if_exists == IfExists::replace, "--report"}, inputs_of(options));
  check_writable(*options.page);
}

void add_written(const RunOptions& options, nlohmann::ordered_json& json) {
  json["output"] = options.out;
  if (options.page) json["report"] = *options.page;
}

// What a page shows is not in the sound.
int tell_it_was_cleaned(const RunOptions& options, const SoundToClean& sound) {
  std::error_code ignored;
  if (options.page && !std::filesystem::exists(*options.page, ignored)) {
    throw UsageError(fmt::format("{} is complete, and {} is not made from it: --overwrite alone begins anew",
                                 options.out, *options.page));
  }
  tell_it_is_complete(options.out);
  if (!options.json) return 0;
  nlohmann::ordered_json json = {{"file", options.file}, {"model", options.model}, {"notes", sound.notes}};
  add_written(options, json);
  fmt::print("{}\n", as_utf8(json).dump(2));
  return 0;
}

void print_cleaned(const RunOptions& options, const DenoiseReport& report) {
  if (options.json) {
    nlohmann::ordered_json json = report.to_json();
    add_written(options, json);
    fmt::print("{}\n", as_utf8(json).dump(2));
  } else if (!options.quiet) {
    const std::string page = options.page ? " and " + printable(*options.page) : "";
    fmt::print("{}\n{}{} written\n", report.text(), printable(options.out), page);
  }
  if (options.quiet) return;
  for (const std::string& one : report.notes) note("quasar: {}\n", printable(one));
}

int run_denoise_run(const RunOptions& options) {
  stop_at_once_on_signals();
  const Config config = config_of_flags("denoise run", denoise_params(), options.given);
  const Durability durability = options.durability.of("denoise run", options.out);
  check_sound_outputs(options, durability);
  const SpeechModel model = read_speech(options.model);
  const SoundToClean sound = read_sound(options.file, model, options.model);
  std::optional<Vec> reference;
  if (options.reference) reference = read_reference(*options.reference, sound);
  const nlohmann::json wanted = decisive(sound, model, config);
  if (already_cleaned(durability, wanted)) return tell_it_was_cleaned(options, sound);
  const IfExists if_page_exists = if_page_is_there(durability);
  check_page(options, if_page_exists);
  Denoising work(sound.samples, sound.rate, model, config);
  DurableWork durable = durable_sound_work(work, durability, wanted);
  const std::int64_t total = config.integer("rounds") + config.integer("iterations");
  if (!work_to_the_end(work, durable, total, "iterations and uphill rounds", options.quiet)) {
    return tell_it_was_stopped(durable);
  }
  const Denoised found = work.result();
  DenoiseReport report = report_of(sound, options.model, model, config, found);
  if (reference) {
    add_scores(report, *reference, sound);
    report.reference = *options.reference;
  }
  for (std::string& one : notes_on_rounding(options.out, found.samples)) report.notes.push_back(std::move(one));
  if (options.page) write_page(*options.page, denoise_page(report, sound.samples), if_page_exists);
  // Last of all: where it is there, nothing is left to do.
  write_wav(options.out, found.samples, sound.rate, WavEncoding::pcm16, durable.if_exists(), work_text(wanted));
  durable.finish();
  print_cleaned(options, report);
  return 0;
}

}  // namespace

Command add_denoise_run(CLI::App& denoise) {
  auto options = std::make_shared<RunOptions>();
  CLI::App* command = denoise.add_subcommand("run", "clean a recording of speech of its noise");
  command->add_option("file", options->file, "the noisy recording: WAV, one channel")->required()->type_name("FILE");
  command->add_option("--model", options->model, "the file of speech that quasar denoise train has written [speech.nc]")
      ->type_name("SPEECH.NC");
  add_param_flags(*command, denoise_params(), options->given);
  command->get_option("--sampler-settings")->type_name("TEXT");
  command
      ->add_option("--out", options->out, "the clean recording to write: 16 bits, as long as the noisy one [clean.wav]")
      ->type_name("SOUND.WAV");
  command
      ->add_option("--report", options->page,
                   "a page to write as well: pictures before and after, how sure the result is, both to listen to if "
                   "they are not longer than 1.5 million samples")
      ->type_name("PAGE.HTML");
  command
      ->add_option("--reference", options->reference,
                   "the same recording without noise, where it is known, to score the result by")
      ->type_name("FILE");
  add_durability_flags(*command, options->durability);
  command->add_flag("--quiet", options->quiet, "no text on standard output, no notes, no progress");
  command->add_flag("--json", options->json, "one JSON object on standard output");
  command->footer(
      "Example:\n"
      "  quasar denoise run examples/sounds/noisy.wav --model speech.nc --out clean.wav --report clean.html");
  return [options] { return run_denoise_run(*options); };
}

}  // namespace quasar::cli
