#include "samplers/sampler_settings.hpp"

#include <fmt/core.h>

#include <algorithm>

#include <quasar/errors.hpp>

namespace quasar {

bool has_parameter(const SamplerEntry& sampler, std::string_view name) {
  return std::ranges::any_of(sampler.params, [&](const ParamSpec& p) { return p.name == name; });
}

Settings parsed_settings(const std::string& text) {
  Settings settings;
  for (std::size_t begin = text.find_first_not_of(' '); begin < text.size();) {
    const std::size_t end = std::min(text.find(' ', begin), text.size()), equals = text.find('=', begin);
    if (equals >= end) {
      throw UsageError(fmt::format("sampler_settings are name=value with blanks between, not '{}'",
                                   text.substr(begin, end - begin)));
    }
    const std::string name = text.substr(begin, equals - begin);
    if (!settings.emplace(name, text.substr(equals + 1, end - equals - 1)).second) {
      throw UsageError(fmt::format("sampler_settings: {} is given twice", name));
    }
    begin = text.find_first_not_of(' ', end);
  }
  return settings;
}

}  // namespace quasar
