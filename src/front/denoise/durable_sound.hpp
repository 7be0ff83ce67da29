// Learning and cleaning that survive their process: checkpoints in the folder `out`.part, from which --resume goes on.
#pragma once

#include <nlohmann/json.hpp>

#include "front/denoise/clean_sound.hpp"
#include "front/denoise/read_clips.hpp"
#include "io/durable_work.hpp"

namespace quasar {

// All that decides what is found.
nlohmann::json decisive(const ReadClips& clips, const Config& config);
nlohmann::json decisive(const SoundToClean& sound, const SpeechModel& model, const Config& config);

// Whether files that exist may be replaced: as is asked for, or was when the work was begun that is resumed.
bool may_replace(const Durability& durability);

// Whether `out` is there and nothing that is not done, so that resuming has nothing left to do. UsageError: both are
// there, and `out` may not be replaced.
bool nothing_to_resume(const Durability& durability);

DurableWork durable_sound_work(SoundWork& work, const Durability& durability, const nlohmann::json& decisive);

}  // namespace quasar
