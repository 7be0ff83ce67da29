#include "experiments/finished_parts.hpp"

#include <quasar/errors.hpp>

#include "io/input_file.hpp"
#include "io/text_output.hpp"

namespace quasar {

FinishedParts::FinishedParts(std::string folder) : folder_(std::move(folder)) {
  if (folder_.empty()) return;
  std::error_code problem;
  std::filesystem::create_directories(folder_, problem);
  if (problem) throw DataError(folder_.string() + ": " + problem.message());
}

nlohmann::json FinishedParts::find(const std::string& part, const std::string& settings) const {
  const auto file = folder_ / (part + ".json");
  if (!std::filesystem::exists(file)) return nullptr;
  const auto stored = nlohmann::json::parse(read_text(file), nullptr, false);
  if (!stored.is_object() || stored.value("settings", "") != settings) return nullptr;
  return stored.value("result", nlohmann::json());
}

void FinishedParts::keep(const std::string& part, const std::string& settings, const nlohmann::json& result) const {
  TextOutput out(folder_ / (part + ".json"));
  out.write(nlohmann::json{{"settings", settings}, {"result", result}}.dump(1) + "\n");
  out.finish();
  out.commit(IfExists::replace);
}

}  // namespace quasar
