// Commands as they are typed, made of what was in effect.
#pragma once

#include <nlohmann/json.hpp>

#include <span>
#include <string>
#include <string_view>

#include <quasar/config.hpp>

namespace quasar::report {

std::string shell_quoted(const std::string& text);
std::string flag_text(std::string name);  // --rank-by of rank_by
std::string value_text(const nlohmann::ordered_json& value);
bool is_default(const ParamSpec& spec, const nlohmann::ordered_json& value);

// " --set prefixname=value" for every value that is not the default.
void add_set_flags(std::string& command, std::span<const ParamSpec> specs, const nlohmann::ordered_json& table,
                   std::string_view prefix);

}  // namespace quasar::report
