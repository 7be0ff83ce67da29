// Settings of a sampler that runs inside of something else: what a user wrote in one text, and what fits.
#pragma once

#include <string>
#include <string_view>

#include <quasar/config.hpp>
#include <quasar/registry.hpp>

namespace quasar {

bool has_parameter(const SamplerEntry& sampler, std::string_view name);

Settings parsed_settings(const std::string& text);  // name=value with blanks between; UsageError

}  // namespace quasar
