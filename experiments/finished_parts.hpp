// What an experiment has finished, kept in a folder as JSON, so that a long one can be stopped and go on. A part is run
// again when it was stored for other settings.
#pragma once

#include <nlohmann/json.hpp>

#include <filesystem>
#include <string>

namespace quasar {

class FinishedParts {
 public:
  explicit FinishedParts(std::string folder);  // empty: nothing is kept. DataError: it cannot be made

  // What compute() returns, or has returned before. Threads may ask for different parts at once.
  template <class Compute>
  nlohmann::json of(const std::string& part, const std::string& settings, const Compute& compute) const {
    if (folder_.empty()) return compute();
    nlohmann::json result = find(part, settings);
    if (!result.is_null()) return result;
    result = compute();
    keep(part, settings, result);
    return result;
  }

 private:
  nlohmann::json find(const std::string& part, const std::string& settings) const;  // null: not there
  void keep(const std::string& part, const std::string& settings, const nlohmann::json& result) const;
  std::filesystem::path folder_;
};

}  // namespace quasar
