#include "report/command_text.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace quasar::report {

using Json = nlohmann::ordered_json;

std::string value_text(const Json& value) { return value.is_string() ? value.get<std::string>() : value.dump(); }

bool is_default(const ParamSpec& spec, const Json& value) {
  const std::string text = value_text(value);
  const auto number = parse_real(text);
  return number ? number == parse_real(spec.init) : text == spec.init;
}

std::string shell_quoted(const std::string& text) {
  constexpr std::string_view plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_@%+=:,./-";
  if (!text.empty() && text.find_first_not_of(plain) == std::string::npos) return text;
  std::string quoted = "'";
  for (const char c : text) {
    if (c == '\'')
      quoted += R"('\'')";
    else
      quoted += c;
  }
  quoted += '\'';
  return quoted;
}

std::string flag_text(std::string name) {
  std::replace(name.begin(), name.end(), '_', '-');
  return fmt::format("--{}", name);
}

void add_set_flags(std::string& command, std::span<const ParamSpec> specs, const Json& table, std::string_view prefix) {
  for (const ParamSpec& spec : specs) {
    const std::string name(spec.name);
    if (!table.contains(name) || table[name].is_null() || is_default(spec, table[name])) continue;
    command += fmt::format(" --set {}", shell_quoted(fmt::format("{}{}={}", prefix, name, value_text(table[name]))));
  }
}

}  // namespace quasar::report
