#include "front/denoise/durable_sound.hpp"

#include <utility>
#include <variant>

#include <quasar/errors.hpp>

#include "front/denoise/speech_file.hpp"
#include "io/input_file.hpp"
#include "io/wav.hpp"

namespace quasar {
namespace {

constexpr KindsOfWork sound_kinds{.description = "sound", .state = "sound-1"};

nlohmann::json settings_json(const Config& config) {
  nlohmann::json json = nlohmann::json::object();
  for (const auto& [name, value] : config.values()) {
    std::visit([&, &key = name](const auto& plain) { json[key] = plain; }, value);
  }
  json["version"] = QUASAR_VERSION;
  return json;
}

std::string hash_of(const SpeechModel& model) {
  Writer bytes;
  bytes("dictionary", model.dictionary);
  bytes("sample_rate", model.plane.sample_rate);
  bytes("frame", model.plane.frame);
  bytes("hop", model.plane.hop);
  bytes("alpha", model.alpha);
  bytes("shape", model.activations.shape);
  bytes("scale", model.activations.scale);
  return content_hash(bytes.bytes());
}

// DataError: the text does not tell
FinishedWork work_told_by(const std::filesystem::path& file, const std::string& text) {
  nlohmann::json work = nlohmann::json::parse(text, nullptr, false);
  if (!work.is_object()) {
    throw DataError(file.string() + ": does not tell what made it; --overwrite begins anew");
  }
  return {std::move(work)};
}

}  // namespace

nlohmann::json decisive(const ReadClips& clips, const Config& config) {
  nlohmann::json json = settings_json(config);
  json["recordings"] = clips.content_hashes;
  return json;
}

// A sound has room for it in a comment that is shorter than 2000 bytes.
nlohmann::json decisive(const SoundToClean& sound, const SpeechModel& model, const Config& config) {
  constexpr std::size_t longest_text = 800;
  nlohmann::json json = settings_json(config);
  for (auto& value : json) {
    if (value.is_string() && work_text(value).size() > longest_text) value = content_hash(value.get<std::string>());
  }
  json["sound"] = sound.content_hash;
  json["model"] = hash_of(model);
  return json;
}

std::string work_text(const nlohmann::json& decisive) { return decisive.dump(-1, ' ', true); }

bool already_learned(const Durability& durability, const nlohmann::json& decisive) {
  return already_done(durability, sound_kinds, decisive,
                      [&] { return work_told_by(durability.out, read_speech(durability.out).work); });
}

bool already_cleaned(const Durability& durability, const nlohmann::json& decisive) {
  return already_done(durability, sound_kinds, decisive,
                      [&] { return work_told_by(durability.out, read_wav(InputFile(durability.out)).comment); });
}

IfExists if_page_is_there(const Durability& durability) {
  const bool resumed = durability.resume && PartFolder::beside(durability.out).holds_run();
  return durability.overwrite || resumed ? IfExists::replace : IfExists::fail;
}

DurableWork durable_sound_work(SoundWork& work, const Durability& durability, const nlohmann::json& decisive) {
  return {durability,
          sound_kinds,
          decisive,
          {.save = [&work](Writer& out) { work.save(out); },
           .load = [&work](Reader& in) { work.load(in); },
           .done = [&work] { return static_cast<double>(work.steps()); }}};
}

}  // namespace quasar
