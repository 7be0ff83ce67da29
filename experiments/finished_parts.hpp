// What an experiment has finished, kept in a folder as JSON, so that a long one can be stopped and go on. Parts of
// other settings have other names: runs of any length and seed can share a folder.
#pragma once

#include <nlohmann/json.hpp>

#include <filesystem>
#include <string>

namespace quasar {

class FinishedParts {
 public:
  explicit FinishedParts(std::string folder);  // empty: nothing is kept. DataError: it cannot be made

  // What compute() returns, or has returned before; it has to_json and from_json. Threads may ask for different parts
  // at once. DataError: what was kept is damaged
  template <class Compute>
  auto of(const std::string& part, const std::string& settings, const Compute& compute) const {
    using Result = decltype(compute());
    if (folder_.empty()) return compute();
    const std::filesystem::path file = file_of(part, settings);
    if (std::filesystem::exists(file)) {
      try {
        return stored(file, settings).template get<Result>();
      } catch (const nlohmann::json::exception&) {
        damaged(file);
      }
    }
    Result result = compute();
    keep(file, settings, result);
    return result;
  }

 private:
  std::filesystem::path file_of(const std::string& part, const std::string& settings) const;
  static nlohmann::json stored(const std::filesystem::path& file, const std::string& settings);
  static void keep(const std::filesystem::path& file, const std::string& settings, const nlohmann::json& result);
  [[noreturn]] static void damaged(const std::filesystem::path& file);
  std::filesystem::path folder_;
};

}  // namespace quasar
