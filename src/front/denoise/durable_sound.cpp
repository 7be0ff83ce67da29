#include "front/denoise/durable_sound.hpp"

#include <fmt/format.h>

#include <system_error>
#include <variant>

#include <quasar/errors.hpp>

#include "io/input_file.hpp"

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

}  // namespace

nlohmann::json decisive(const ReadClips& clips, const Config& config) {
  nlohmann::json json = settings_json(config);
  json["recordings"] = clips.content_hashes;
  return json;
}

nlohmann::json decisive(const SoundToClean& sound, const SpeechModel& model, const Config& config) {
  nlohmann::json json = settings_json(config);
  json["sound"] = sound.content_hash;
  json["model"] = hash_of(model);
  return json;
}

bool may_replace(const Durability& durability) {
  if (durability.overwrite || !durability.resume) return durability.overwrite;
  const PartFolder folder = PartFolder::beside(durability.out);
  return folder.holds_run() && unfinished_work(folder, sound_kinds.description).at("replace").get<bool>();
}

bool nothing_to_resume(const Durability& durability) {
  std::error_code ignored;
  if (!durability.resume || !std::filesystem::exists(durability.out, ignored) || may_replace(durability)) return false;
  const PartFolder folder = PartFolder::beside(durability.out);
  if (!folder.holds_run()) return true;
  throw UsageError(
      fmt::format("{} is there, and {} is not done: move it away, or add --overwrite to replace it at the end",
                  durability.out.string(), folder.path().string()));
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
