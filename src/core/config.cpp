#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <stdexcept>

#include <quasar/config.hpp>
#include <quasar/errors.hpp>

#include "core/parse_number.hpp"

namespace quasar {
namespace {

std::vector<std::string_view> names_of(std::span<const ParamSpec> specs) {
  std::vector<std::string_view> names;
  for (const ParamSpec& spec : specs) names.push_back(spec.name);
  return names;
}

[[noreturn]] void refuse(const ParamSpec& spec, std::string_view text, std::string_view expected) {
  throw UsageError(fmt::format("{} = '{}': {}", spec.name, text, expected));
}

std::string range_of(const ParamSpec& spec) {
  const bool below = std::isfinite(spec.min), above = std::isfinite(spec.max);
  const std::string_view at_least = spec.exclusive_min ? "greater than" : "at least";
  if (below && above) return fmt::format("{} {} and at most {}", at_least, spec.min, spec.max);
  if (below) return fmt::format("{} {}", at_least, spec.min);
  return above ? fmt::format("at most {}", spec.max) : "finite";
}

double in_range(const ParamSpec& spec, double value, std::string_view text) {
  if (!std::isfinite(value)) refuse(spec, text, "must be finite");
  const bool low = spec.exclusive_min ? value <= spec.min : value < spec.min;
  if (low || value > spec.max) refuse(spec, text, "must be " + range_of(spec));
  return value;
}

Config::Value parse_choice(const ParamSpec& spec, std::string_view text) {
  std::vector<std::string_view> values;
  for (const Choice& choice : spec.choices) values.push_back(choice.value);
  if (std::find(values.begin(), values.end(), text) != values.end()) return std::string(text);
  const std::string_view near = nearest_name(text, values);
  refuse(spec, text,
         near.empty() ? fmt::format("must be one of {}", fmt::join(values, ", "))
                      : fmt::format("did you mean '{}'?", near));
}

Config::Value parse(const ParamSpec& spec, std::string_view text) {
  switch (spec.type) {
    case ParamSpec::real: {
      const auto [value, problem] = parse_number(text);
      if (!problem.empty()) refuse(spec, text, problem);
      return in_range(spec, value, text);
    }
    case ParamSpec::integer: {
      const auto value = parse_integer(text);
      if (!value) refuse(spec, text, "is not a whole number; must be " + range_of(spec));
      in_range(spec, static_cast<double>(*value), text);
      return *value;
    }
    case ParamSpec::boolean:
      if (text != "true" && text != "false") refuse(spec, text, "must be true or false");
      return text == "true";
    case ParamSpec::choice:
      return parse_choice(spec, text);
    case ParamSpec::text:
      return std::string(text);
  }
  throw std::logic_error("unknown parameter type");
}

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0]++;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t substituted = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, substituted});
    }
  }
  return row[b.size()];
}

}  // namespace

std::string_view to_string(Law law) {
  switch (law) {
    case Law::exact:
      return "exact";
    case Law::consistent:
      return "consistent";
    case Law::biased:
      return "biased";
  }
  throw std::logic_error("unknown law");
}

Config::Config(std::string_view owner, std::span<const ParamSpec> specs, const Settings& given) {
  const auto names = names_of(specs);
  for (const auto& [name, text] : given) {
    if (std::find(names.begin(), names.end(), name) != names.end()) continue;
    throw UsageError(unknown_name(fmt::format("parameter of {}", owner), name, names));
  }
  for (const ParamSpec& spec : specs) {
    const auto found = given.find(std::string(spec.name));
    const bool set = found != given.end();
    values_.emplace(spec.name, parse(spec, set ? std::string_view(found->second) : spec.init));
  }
}

const Config::Value& Config::value(std::string_view name) const {
  const auto found = values_.find(name);
  if (found == values_.end()) throw std::logic_error(fmt::format("no parameter '{}'", name));
  return found->second;
}

double Config::real(std::string_view name) const { return std::get<double>(value(name)); }
std::int64_t Config::integer(std::string_view name) const { return std::get<std::int64_t>(value(name)); }
bool Config::flag(std::string_view name) const { return std::get<bool>(value(name)); }
const std::string& Config::text(std::string_view name) const { return std::get<std::string>(value(name)); }

std::string_view nearest_name(std::string_view name, std::span<const std::string_view> candidates) {
  std::string_view nearest;
  std::size_t best = (name.size() + 1) / 3 + 1;  // a typing error in three letters
  for (const std::string_view candidate : candidates) {
    if (name.size() >= 3 && candidate.starts_with(name)) return candidate;
    if (std::max(name.size(), candidate.size()) - std::min(name.size(), candidate.size()) >= best) continue;
    const std::size_t distance = edit_distance(name, candidate);
    if (distance < best) {
      best = distance;
      nearest = candidate;
    }
  }
  return nearest;
}

std::string unknown_name(std::string_view kind, std::string_view name, std::span<const std::string_view> candidates) {
  const std::string_view near = nearest_name(name, candidates);
  if (!near.empty()) return fmt::format("unknown {} '{}'; did you mean '{}'?", kind, name, near);
  if (candidates.empty()) return fmt::format("unknown {} '{}'; there is none", kind, name);
  constexpr std::size_t most = 20;
  const auto shown = candidates.first(std::min(candidates.size(), most));
  return fmt::format("unknown {} '{}'; there are {}{}", kind, name, fmt::join(shown, ", "),
                     candidates.size() > most ? ", ..." : "");
}

std::optional<double> parse_real(std::string_view text) {
  const auto [value, problem] = parse_number(text);
  return problem.empty() ? std::optional(value) : std::nullopt;
}

std::optional<std::int64_t> parse_integer(std::string_view text) {
  if (text.starts_with('_') || text.ends_with('_') || text.find("__") != std::string_view::npos) return std::nullopt;
  std::string digits(text);
  std::erase(digits, '_');
  std::int64_t whole = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), whole);
  if (error == std::errc() && end == digits.data() + digits.size()) return whole;
  const auto value = parse_real(digits);
  if (!value || std::abs(*value) >= 9e15 || *value != std::trunc(*value)) return std::nullopt;
  return static_cast<std::int64_t>(*value);
}

Settings as_settings(const Config& config) {
  struct Text {
    std::string operator()(bool value) const { return value ? "true" : "false"; }
    std::string operator()(const std::string& value) const { return value; }
    std::string operator()(std::int64_t value) const { return std::to_string(value); }
    std::string operator()(double value) const { return fmt::format("{}", value); }
  };
  Settings texts;
  for (const auto& [name, value] : config.values()) texts[name] = std::visit(Text(), value);
  return texts;
}

}  // namespace quasar
