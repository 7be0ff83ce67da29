#include "front/variable_names.hpp"

#include <fmt/core.h>

#include <sstream>

#include <quasar/errors.hpp>

namespace quasar {

std::vector<std::string> variable_names(const std::string& text) {
  std::vector<std::string> parts;
  if (text.empty()) return parts;
  std::istringstream in(text + ",");
  for (std::string part; std::getline(in, part, ',');) {
    const std::size_t first = part.find_first_not_of(' '), last = part.find_last_not_of(' ');
    if (first == std::string::npos) throw UsageError(fmt::format("--variables '{}': a name is missing", text));
    parts.push_back(part.substr(first, last - first + 1));
  }
  return parts;
}

}  // namespace quasar
