#include "front/sampler_law.hpp"

#include <fmt/core.h>

#include <algorithm>

#include <quasar/registry.hpp>

namespace quasar {
namespace {

using diagnostics::SamplerLaw;

bool can_change_law(const ParamSpec& spec) {
  return spec.changed_law ||
         std::any_of(spec.choices.begin(), spec.choices.end(), [](const Choice& c) { return c.law; });
}

bool holds(std::string_view setting, const diagnostics::SettingTexts& settings) {
  const std::size_t equals = setting.find('=');
  const auto set = settings.find(std::string(setting.substr(0, equals)));
  return equals != std::string_view::npos && set != settings.end() && set->second == setting.substr(equals + 1);
}

// Empty: the value does not change the law.
std::optional<Law> law_at(const ParamSpec& spec, std::string_view value, const diagnostics::SettingTexts& settings) {
  for (const Choice& choice : spec.choices) {
    if (choice.value == value) return holds(choice.unless, settings) ? std::nullopt : choice.law;
  }
  const auto number = parse_real(value);
  const bool unchanged = number ? number == parse_real(spec.init) : value == spec.init;
  return unchanged ? std::nullopt : spec.changed_law;
}

std::string assignment(const ParamSpec& spec, std::string_view value) { return fmt::format("{}={}", spec.name, value); }

// The values of a parameter at which the sampler is exact, as --set takes them.
std::vector<std::string> exact_values(const ParamSpec& spec, Law by_default) {
  std::vector<std::string> found;
  for (const Choice& choice : spec.choices) {
    if (choice.law.value_or(by_default) == Law::exact) found.push_back(assignment(spec, choice.value));
  }
  if (spec.choices.empty() && by_default == Law::exact) found.push_back(assignment(spec, spec.init));
  return found;
}

}  // namespace

std::optional<SamplerLaw> law_of(std::string_view sampler, const diagnostics::SettingTexts& settings) {
  const auto known = samplers();
  const auto entry = std::find_if(known.begin(), known.end(), [&](const auto& s) { return s.name == sampler; });
  if (entry == known.end()) return std::nullopt;
  SamplerLaw found{entry->law, std::string(entry->why)};
  for (const ParamSpec& spec : entry->params) {
    if (!can_change_law(spec)) continue;
    const auto set = settings.find(spec.name);
    if (set == settings.end()) return std::nullopt;
    const std::optional<Law> law = law_at(spec, set->second, settings);
    if (!law || (!found.setting.empty() && *law <= found.law)) continue;  // of several the worst
    found = {*law, {}, assignment(spec, set->second), exact_values(spec, entry->law)};
  }
  return found;
}

}  // namespace quasar
