#include "experiments/finished_parts.hpp"

#include <fmt/core.h>

#include <quasar/errors.hpp>

#include "core/fnv1a.hpp"
#include "io/input_file.hpp"
#include "io/text_output.hpp"

namespace quasar {

FinishedParts::FinishedParts(std::string folder) : folder_(std::move(folder)) {
  if (folder_.empty()) return;
  std::error_code problem;
  std::filesystem::create_directories(folder_, problem);
  if (problem) throw DataError(folder_.string() + ": " + problem.message());
}

std::filesystem::path FinishedParts::file_of(const std::string& part, const std::string& settings) const {
  return folder_ / fmt::format("{} {:016x}.json", part, fnv1a(settings));
}

nlohmann::json FinishedParts::stored(const std::filesystem::path& file, const std::string& settings) {
  const auto part = nlohmann::json::parse(read_text(file));
  if (part.at("settings") != settings) damaged(file);
  return part.at("result");
}

void FinishedParts::keep(const std::filesystem::path& file, const std::string& settings, const nlohmann::json& result) {
  TextOutput out(file);
  out.write(nlohmann::json{{"settings", settings}, {"result", result}}.dump(1) + "\n");
  out.finish();
  out.commit(IfExists::replace);
}

void FinishedParts::damaged(const std::filesystem::path& file) {
  throw DataError(file.string() + ": this is not the finished part that was kept here. Delete it to run it again");
}

}  // namespace quasar
