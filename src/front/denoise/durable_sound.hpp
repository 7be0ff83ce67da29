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

// What a file says of the work that made it: `decisive` as one line of ASCII.
std::string work_text(const nlohmann::json& decisive);

// Whether `out` is what the work finds, so that resuming has nothing left to do. UsageError: it, or what was begun, is
// of other work. DataError: it does not tell.
bool already_learned(const Durability& durability, const nlohmann::json& decisive);
bool already_cleaned(const Durability& durability, const nlohmann::json& decisive);

// A page that exists is replaced where that is asked for, and where it may be that of the work that is resumed, which
// writes it before the sound.
IfExists if_page_is_there(const Durability& durability);

DurableWork durable_sound_work(SoundWork& work, const Durability& durability, const nlohmann::json& decisive);

}  // namespace quasar
