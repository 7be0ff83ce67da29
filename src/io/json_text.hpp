// JSON that people write, with messages that say where they went wrong, and JSON that holds what they typed.
#pragma once

#include <nlohmann/json.hpp>

#include <optional>
#include <string>
#include <string_view>

namespace quasar {

// DataError "file:line:column: cause"; a key given twice in one object and very deep nesting are refused as well.
nlohmann::json parse_json(const std::string& file, std::string_view text);

nlohmann::ordered_json optional_number(const std::optional<double>& value);  // null: there is none

// A file name may not be UTF-8, but JSON has to be: what is not becomes U+FFFD.
nlohmann::ordered_json as_utf8(const nlohmann::ordered_json& json);

}  // namespace quasar
