// The attributes of a run as a JSON object, under the names they have in its file.
#pragma once

#include <nlohmann/json.hpp>

#include <string>
#include <string_view>

#include <quasar/run_data.hpp>

namespace quasar {

inline nlohmann::ordered_json info_json(const RunInfo& info) {
  nlohmann::ordered_json json;
  RunInfo::fields(info, [&](std::string_view name, const auto& value) { json[std::string(name)] = value; });
  return json;
}

}  // namespace quasar
