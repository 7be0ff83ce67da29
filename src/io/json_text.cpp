#include "io/json_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string_view>

#include <quasar/errors.hpp>

namespace quasar {
namespace {

using Json = nlohmann::json;

// The library's messages begin with their own name and place; ours name the file and the place.
std::string_view without_prefix(std::string_view message, std::string_view end_of_prefix) {
  const std::size_t found = message.find(end_of_prefix);
  return found == std::string_view::npos ? message : message.substr(found + end_of_prefix.size());
}

std::string place(std::string_view text, std::size_t byte) {  // byte: counted from 1
  const std::string_view before = text.substr(0, byte > 0 ? byte - 1 : 0);
  const std::size_t line_start = before.rfind('\n') + 1;  // npos + 1 = 0: the first line
  return fmt::format("{}:{}", std::count(before.begin(), before.end(), '\n') + 1, before.size() - line_start + 1);
}

// Each level costs the parser far more memory than the one byte that opens it, and nothing we read is nested deeply.
void refuse_deep_nesting(const std::string& file, std::string_view text) {
  constexpr int deepest = 64;
  int depth = 0;
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '"') quoted = !quoted;
    if (quoted && c == '\\') ++i;
    if (quoted) continue;
    if (c == ']' || c == '}') --depth;
    if ((c == '[' || c == '{') && ++depth > deepest) {
      throw DataError(fmt::format("{}:{}: nested deeper than {} levels", file, place(text, i + 1), deepest));
    }
  }
}

// The parser keeps the last of two equal keys without a word; this callback notices.
auto refuse_repeated_keys(const std::string& file) {
  return [file, open = std::vector<std::set<std::string>>()](int, Json::parse_event_t event, Json& parsed) mutable {
    if (event == Json::parse_event_t::object_start) open.emplace_back();
    if (event == Json::parse_event_t::object_end) open.pop_back();
    if (event == Json::parse_event_t::key && !open.back().insert(parsed.get<std::string>()).second) {
      throw DataError(fmt::format("{}: the key '{}' is given twice", file, parsed.get<std::string>()));
    }
    return true;
  };
}

}  // namespace

Json parse_json(const std::string& file, std::string_view text) {
  refuse_deep_nesting(file, text);
  try {
    return Json::parse(text, refuse_repeated_keys(file));
  } catch (const Json::parse_error& error) {
    throw DataError(fmt::format("{}:{}: {}", file, place(text, error.byte), without_prefix(error.what(), ": ")));
  } catch (const Json::exception& error) {  // a number that no double can hold
    throw DataError(fmt::format("{}: {}", file, without_prefix(error.what(), "] ")));
  }
}

nlohmann::ordered_json as_utf8(const nlohmann::ordered_json& json) {
  return nlohmann::ordered_json::parse(json.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace));
}

nlohmann::ordered_json optional_number(const std::optional<double>& value) {
  return value ? nlohmann::ordered_json(*value) : nlohmann::ordered_json(nullptr);
}

}  // namespace quasar
