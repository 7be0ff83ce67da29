// The commands below quasar denoise.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "commands.hpp"
#include "front/denoise/durable_sound.hpp"
#include "speech/denoise.hpp"

namespace quasar::cli {

Command add_denoise_train(CLI::App& denoise);
Command add_denoise_run(CLI::App& denoise);

// A name and then that ending, in letters of any size. UsageError
void require_ending(const std::string& path, std::string_view ending, std::string_view flag,
                    std::string_view otherwise);

// --overwrite, --resume and --checkpoint-every, for `options`, which must stay where they are.
struct SoundDurability {
  bool overwrite = false, resume = false;
  Settings checkpoints = {};

  Durability of(std::string_view command, const std::string& out) const;  // UsageError
};
void add_durability_flags(CLI::App& command, SoundDurability& options);

// Before the work begins, Ctrl-C ends the process at once.
void stop_at_once_on_signals();

// Works to the end, with checkpoints and what shows how far it is: on a terminal, unless quiet, a bar of `total`
// `steps`. A signal stops it after the step under way: false, and a checkpoint is left. At the end one is left where
// there is room, for the case that what was found cannot be written.
bool work_to_the_end(SoundWork& work, DurableWork& durable, std::int64_t total, std::string_view steps, bool quiet);

int tell_it_was_stopped(const DurableWork& durable);  // the exit code
void tell_it_is_complete(const std::string& out);

}  // namespace quasar::cli
