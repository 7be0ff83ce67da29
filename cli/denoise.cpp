// quasar denoise train|run
#include "denoise.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <csignal>
#include <cstdlib>
#include <map>
#include <span>
#include <stop_token>
#include <utility>
#include <vector>

#include <quasar/errors.hpp>

#include "diagnostics/wording.hpp"
#include "param_flags.hpp"
#include "progress.hpp"
#include "terminal.hpp"

namespace quasar::cli {
namespace {

extern "C" void stop_sound(int) { std::_Exit(interrupted); }

std::span<const ParamSpec> checkpoint_params() {
  static constexpr ParamSpec params[] = {{.name = "checkpoint_every",
                                          .doc = "steps between checkpoints; 0: about every thirty seconds",
                                          .type = ParamSpec::integer,
                                          .init = "0",
                                          .min = 0,
                                          .max = 1e9}};
  return params;
}

// What follows may need less room, so that this is no reason to lose it.
void save_where_there_is_room(DurableWork& durable) {
  try {
    durable.save();
  } catch (const DataError&) {
    return;
  }
}

}  // namespace

void require_ending(const std::string& path, std::string_view ending, std::string_view flag,
                    std::string_view otherwise) {
  std::string end = path.substr(path.size() - std::min(path.size(), ending.size()));
  std::ranges::transform(end, end.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  if (end != ending || path.size() == ending.size()) throw UsageError(fmt::format("{} {}: {}", flag, path, otherwise));
}

void stop_at_once_on_signals() {
  std::signal(SIGINT, stop_sound);
  std::signal(SIGPIPE, SIG_IGN);  // a reader that left and a file at its limit are errors like a full disk
  std::signal(SIGXFSZ, SIG_IGN);
}

Durability SoundDurability::of(std::string_view command, const std::string& out) const {
  const std::int64_t every = config_of_flags(command, checkpoint_params(), checkpoints).integer("checkpoint_every");
  return {.out = out, .resume = resume, .overwrite = overwrite, .checkpoint_every = every};
}

void add_durability_flags(CLI::App& command, SoundDurability& options) {
  command.add_flag("--overwrite", options.overwrite, "replace files that exist");
  command.add_flag("--resume", options.resume, "go on with work that was stopped or killed");
  add_param_flags(command, checkpoint_params(), options.checkpoints);
}

bool work_to_the_end(SoundWork& work, DurableWork& durable, std::int64_t total, std::string_view steps, bool quiet) {
  std::vector<ChainProgress> progress(1);
  ChainProgress& shown = progress.front();
  shown.iterations = work.steps();
  shown.resumed_at = shown.iterations.load();
  const std::stop_source stop;
  const Schedule schedule{.warmup = 0, .draws = std::max<std::int64_t>(1, total)};
  const ProgressDisplay display(progress, schedule, quiet || terminal_size().columns == 0, stop,
                                {.one = "", .many = steps});
  while (!work.done() && !stop.stop_requested()) {
    work.step();
    shown.iterations = work.steps();
    durable.save_when_due();
  }
  if (work.done()) {
    save_where_there_is_room(durable);
  } else {
    durable.save();
  }
  return work.done();
}

int tell_it_was_stopped(const DurableWork& durable) {
  note("quasar: stopped; {} has what was done, --resume goes on\n", printable(durable.folder().string()));
  return interrupted;
}

void tell_it_is_complete(const std::string& out) {
  note("quasar: {} is complete; nothing to resume\n", printable(out));
}

Command add_denoise(CLI::App& app) {
  CLI::App* denoise =
      app.add_subcommand("denoise", "speech out of noise: learn what speech is, clean recordings by it");
  std::map<std::string, Command> commands;
  commands["train"] = add_denoise_train(*denoise);
  commands["run"] = add_denoise_run(*denoise);
  denoise->footer(
      "quasar denoise COMMAND --help tells more.");  // after the commands, which would take it for their own
  return [denoise, commands = std::move(commands)] {
    const auto chosen = denoise->get_subcommands();
    if (!chosen.empty()) return commands.at(chosen.front()->get_name())();
    std::vector<std::string> names;
    for (const CLI::App* command : denoise->get_subcommands({})) names.push_back(command->get_name());
    throw UsageError("denoise needs a command: " + diagnostics::in_a_row(names, "or"));
  };
}

}  // namespace quasar::cli
