// JSON files that people write, with messages that say where they went wrong.
#pragma once

#include <nlohmann/json.hpp>

#include <filesystem>

namespace quasar {

// DataError "file:line:column: cause"; a key given twice in one object is refused as well.
nlohmann::json read_json(const std::filesystem::path& path);

}  // namespace quasar
