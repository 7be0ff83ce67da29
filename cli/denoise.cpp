// quasar denoise train|run
#include "denoise.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <csignal>
#include <cstdlib>
#include <map>
#include <stop_token>
#include <utility>
#include <vector>

#include <quasar/errors.hpp>

#include "diagnostics/wording.hpp"
#include "progress.hpp"
#include "terminal.hpp"

namespace quasar::cli {
namespace {

extern "C" void stop_sound(int) { std::_Exit(interrupted); }

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

void with_sound_progress(std::int64_t total, std::string_view steps, bool quiet, const WorkWithProgress& work) {
  if (quiet || terminal_size().columns == 0) {
    work([](double) { return true; });
    return;
  }
  std::vector<ChainProgress> progress(1);
  const std::stop_source stops;
  const std::stop_callback at_once(stops.get_token(), [] { stop_sound(SIGINT); });
  const Schedule schedule{.warmup = 0, .draws = std::max<std::int64_t>(1, total)};
  const ProgressDisplay display(progress, schedule, false, stops, {.one = "", .many = steps});
  work([&](double share) {
    progress.front().iterations = std::clamp<std::int64_t>(std::llround(share * static_cast<double>(total)), 0, total);
    return true;
  });
  progress.front().iterations = schedule.draws;
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
