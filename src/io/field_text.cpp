#include "io/field_text.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <iterator>
#include <stdexcept>

#include "io/printable.hpp"

namespace quasar {

bool is_missing(std::string_view text) {
  constexpr std::string_view marks[] = {"", "NA", "N/A", "n/a", "#N/A", "<NA>", "NaN", "nan", "null", "NULL"};
  return std::find(std::begin(marks), std::end(marks), text) != std::end(marks);
}

bool may_mean_missing(std::string_view text) {
  return !text.empty() && text.find_first_not_of("-.?*") == std::string_view::npos;
}

ParsedNumber parse_finite(std::string_view text) {
  const ParsedNumber parsed = parse_number(text);
  if (!std::isfinite(parsed.value)) return {.problem = "is not finite"};
  return parsed;
}

bool is_number(std::string_view text) { return parse_number(text).problem != not_a_number; }

void split_at_blanks(std::string_view line, std::vector<std::string_view>& words) {
  constexpr std::string_view blanks = " \t";
  words.clear();
  for (std::size_t end = 0;;) {
    const std::size_t begin = line.find_first_not_of(blanks, end);
    if (begin == std::string_view::npos) return;
    end = std::min(line.find_first_of(blanks, begin), line.size());
    words.push_back(line.substr(begin, end - begin));
  }
}

std::int64_t whole_number(std::string_view text) {
  std::int64_t number = 0;
  const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (status != std::errc() || end != text.data() + text.size() || number < 0) {
    throw std::invalid_argument(fmt::format("'{}' is not a whole number", shown(text)));
  }
  return number;
}

bool is_utf8(const std::string& text) {
  try {
    nlohmann::json(text).dump();  // refuses text that is not UTF-8
    return true;
  } catch (const nlohmann::json::type_error&) {
    return false;
  }
}

std::string shown(std::string_view text) {
  constexpr std::size_t max_shown = 40;
  const std::string out = printable(std::string(text.substr(0, max_shown)));
  return text.size() > max_shown ? out + "..." : out;
}

}  // namespace quasar
