// A number as people write it in files and on command lines: decimal, independent of the locale, '+' allowed.
#pragma once

#include <charconv>
#include <string_view>
#include <system_error>

namespace quasar {

inline constexpr std::string_view not_a_number = "is not a number";

struct ParsedNumber {
  double value = 0;
  std::string_view problem = {};  // empty: none
};

// The whole text must be the number; inf and nan, spelled out, are numbers.
inline ParsedNumber parse_number(std::string_view text) {
  if (text.starts_with('+') && !text.starts_with("+-")) text.remove_prefix(1);  // from_chars takes no '+'
  double value = 0;
  const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (status == std::errc::invalid_argument || end != text.data() + text.size()) return {.problem = not_a_number};
  if (status == std::errc::result_out_of_range) return {.problem = "is outside the range of a double"};
  return {.value = value};
}

}  // namespace quasar
