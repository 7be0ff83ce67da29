// JSON that people write, with messages that say where they went wrong.
#pragma once

#include <nlohmann/json.hpp>

#include <string>
#include <string_view>

namespace quasar {

// DataError "file:line:column: cause"; a key given twice in one object and very deep nesting are refused as well.
nlohmann::json parse_json(const std::string& file, std::string_view text);

}  // namespace quasar
