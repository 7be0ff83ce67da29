// What people typed and files hold, on one line: a terminal obeys control characters, and a line break ends a comment.
#pragma once

#include <algorithm>
#include <string>

namespace quasar {

inline std::string printable(std::string text) {
  const auto is_control = [](unsigned char c) { return c < ' ' || c == 127; };
  std::replace_if(text.begin(), text.end(), is_control, '?');
  return text;
}

}  // namespace quasar
