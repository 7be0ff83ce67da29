#include "io/json_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string_view>

#include <quasar/errors.hpp>

#include "io/input_file.hpp"

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

Json read_json(const std::filesystem::path& path) {
  const std::string text = read_text(path), file = path.string();
  try {
    return Json::parse(text, refuse_repeated_keys(file));
  } catch (const Json::parse_error& error) {
    throw DataError(fmt::format("{}:{}: {}", file, place(text, error.byte), without_prefix(error.what(), ": ")));
  } catch (const Json::exception& error) {  // a number that no double can hold
    throw DataError(fmt::format("{}: {}", file, without_prefix(error.what(), "] ")));
  }
}

}  // namespace quasar
