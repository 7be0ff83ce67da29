// Texts in a row. (GCC 12 warns of an overflow inside fmt::join at -O3 that is not there.)
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace quasar {

inline std::string join(std::span<const std::string> parts, std::string_view separator) {
  std::string text;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (i > 0) text += separator;
    text += parts[i];
  }
  return text;
}

}  // namespace quasar
