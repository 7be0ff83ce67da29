#include "io/field_text.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <iterator>

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
