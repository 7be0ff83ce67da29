// quasar denoise run noisy.wav
#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <quasar/errors.hpp>

#include "denoise.hpp"
#include "diagnostics/wording.hpp"
#include "front/denoise/clean_sound.hpp"
#include "front/denoise/denoise_report.hpp"
#include "front/denoise/speech_file.hpp"
#include "io/json_text.hpp"
#include "io/printable.hpp"
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
  bool overwrite = false, quiet = false, json = false;

  IfExists if_exists() const { return overwrite ? IfExists::replace : IfExists::fail; }
};

void check_sound_outputs(const RunOptions& options) {
  require_ending(options.out, ".wav", "--out", "sound is written as NAME.wav");
  std::vector<std::string> inputs = {options.file, options.model};
  if (options.reference) inputs.push_back(*options.reference);
  check_output(TableOutput{options.out, options.overwrite}, inputs);
  check_output(TableOutput{options.page, options.overwrite, "--report"}, inputs);
  if (options.page == options.out) throw UsageError("--out and --report name the same file");
}

// A file that cannot be written is told before the work.
void check_writable_sounds(const RunOptions& options) {
  const AtomicFile removed_at_once(options.out);
  if (options.page) const AtomicFile removed_too(*options.page);
}

void write_sound_files(const RunOptions& options, const SoundToClean& sound, DenoiseReport& report) {
  const Index clipped =
      write_wav(options.out, report.found.samples, sound.rate, WavEncoding::pcm16, options.if_exists());
  if (clipped > 0) {
    report.notes.push_back(fmt::format("{}: cut off where {} beyond the scale of 16 bits", options.out,
                                       diagnostics::counted(clipped, "sample lay", "samples lay")));
  }
  if (const std::string faint = note_on_rounding(report.found.samples); !faint.empty()) {
    report.notes.push_back(options.out + ": " + faint);
  }
  if (options.page) write_page(*options.page, denoise_page(report, sound.samples), options.if_exists());
}

void print_cleaned(const RunOptions& options, const DenoiseReport& report) {
  if (options.json) {
    nlohmann::ordered_json json = report.to_json();
    json["output"] = options.out;
    if (options.page) json["report"] = *options.page;
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
  check_sound_outputs(options);
  const SpeechModel model = read_speech(options.model);
  const SoundToClean sound = read_sound(options.file, model, options.model);
  std::optional<Vec> reference;
  if (options.reference) reference = read_reference(*options.reference, sound);
  check_writable_sounds(options);
  Denoised found;
  const std::int64_t work = 2 * config.integer("rounds") + config.integer("iterations");  // a round is as long as two
  with_sound_progress(work, "iterations and uphill rounds", options.quiet, [&](const DenoiseProgress& progress) {
    found = denoise(sound.samples, sound.rate, model, config, progress);
  });
  DenoiseReport report = report_of(sound, options.model, model, config, found);
  if (reference) add_scores(report, *reference, sound);
  write_sound_files(options, sound, report);
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
                   "a page to write as well: pictures before and after, how sure the result is, both to listen to")
      ->type_name("PAGE.HTML");
  command
      ->add_option("--reference", options->reference,
                   "the same recording without noise, where it is known, to score the result by")
      ->type_name("FILE");
  command->add_flag("--overwrite", options->overwrite, "replace files that exist");
  command->add_flag("--quiet", options->quiet, "no text on standard output, no notes, no progress");
  command->add_flag("--json", options->json, "one JSON object on standard output");
  command->footer(
      "Example:\n"
      "  quasar denoise run examples/sounds/noisy.wav --model speech.nc --out clean.wav --report clean.html");
  return [options] { return run_denoise_run(*options); };
}

}  // namespace quasar::cli
