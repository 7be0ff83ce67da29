#include "param_text.hpp"

#include <fmt/core.h>

#include <cmath>
#include <span>

namespace quasar::cli {
namespace {

// "warmup | ensemble | printed [biased]"
std::string allowed_choices(std::span<const Choice> choices) {
  std::string text;
  for (const Choice& choice : choices) {
    text += fmt::format("{}{}", text.empty() ? "" : " | ", choice.value);
    if (choice.law) {
      const std::string unless = choice.unless.empty() ? "" : fmt::format(" unless {}", choice.unless);
      text += fmt::format(" [{}{}]", to_string(*choice.law), unless);
    }
  }
  return text;
}

std::string allowed_range(const ParamSpec& spec) {
  const bool low = std::isfinite(spec.min), high = std::isfinite(spec.max);
  const char* at_least = spec.exclusive_min ? ">" : ">=";
  if (low && high) return fmt::format("{} {}, <= {}", at_least, spec.min, spec.max);
  if (low) return fmt::format("{} {}", at_least, spec.min);
  return high ? fmt::format("<= {}", spec.max) : std::string();
}

std::string allowed_values(const ParamSpec& spec) {
  if (!spec.choices.empty()) return allowed_choices(spec.choices);
  const std::string range = spec.type == ParamSpec::boolean ? "true | false" : allowed_range(spec);
  return spec.changed_law ? fmt::format("{} [{} unless {}]", range, to_string(*spec.changed_law), spec.init) : range;
}

}  // namespace

std::string with_default(const ParamSpec& spec) {
  const std::string allowed = allowed_values(spec);
  return fmt::format("{} = {}{}", spec.name, spec.init.empty() ? "\"\"" : spec.init,
                     allowed.empty() ? "" : "  (" + allowed + ")");
}

}  // namespace quasar::cli
