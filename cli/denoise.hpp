// The commands below quasar denoise.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "commands.hpp"
#include "speech/denoise.hpp"

namespace quasar::cli {

Command add_denoise_train(CLI::App& denoise);
Command add_denoise_run(CLI::App& denoise);

// A name and then that ending, in letters of any size. UsageError
void require_ending(const std::string& path, std::string_view ending, std::string_view flag,
                    std::string_view otherwise);

// Files are put in their place whole, at the end: Ctrl-C ends the process, and nothing is half done.
void stop_at_once_on_signals();

// Runs `work` with what shows how far it is: on a terminal, unless quiet, a bar of `total` `steps`.
using WorkWithProgress = std::function<void(const DenoiseProgress&)>;
void with_sound_progress(std::int64_t total, std::string_view steps, bool quiet, const WorkWithProgress& work);

}  // namespace quasar::cli
