// What a sampler promises at given settings: exact, consistent or biased, by the tables of the registry.
#pragma once

#include <optional>
#include <string_view>

#include "diagnostics/problems.hpp"

namespace quasar {

// Empty: not known. A later version may have other samplers, and a run made by a program keeps no settings.
std::optional<diagnostics::SamplerLaw> law_of(std::string_view sampler, const diagnostics::SettingTexts& settings);

}  // namespace quasar
