// Numbers for pictures: six digits are more than a screen can show, and take a third of the room of all.
#pragma once

#include <array>
#include <charconv>
#include <cmath>

namespace quasar::report {

inline double rounded(double number) {
  if (!std::isfinite(number)) return number;
  std::array<char, 32> text;
  const auto written = std::to_chars(text.data(), text.data() + text.size(), number, std::chars_format::general, 6);
  std::from_chars(text.data(), written.ptr, number);
  return number;
}

}  // namespace quasar::report
