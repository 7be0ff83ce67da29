// A text as a field of a CSV file, quoted where RFC 4180 asks for it.
#pragma once

#include <string>

namespace quasar {

inline std::string quoted_field(const std::string& field) {
  if (field.find_first_of(",\"\r\n") == std::string::npos) return field;
  std::string text = "\"";
  for (const char c : field) text += c == '"' ? std::string("\"\"") : std::string(1, c);
  return text + '"';
}

}  // namespace quasar
