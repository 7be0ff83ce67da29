// quasar/config.hpp -- one description of every tunable: the source of flags, keyword arguments, docs and checks.
#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace quasar {

enum class Law { exact, consistent, biased };  // consistent: the bias vanishes with the step size
std::string_view to_string(Law law);

struct Choice {
  std::string_view value;
  std::optional<Law> law = std::nullopt;  // where choosing it changes the sampler's law
  std::string_view unless = {};           // name=value of another parameter at which it does not
};

struct ParamSpec {
  enum Type { real, integer, boolean, choice, text };
  static constexpr double inf = std::numeric_limits<double>::infinity();

  std::string_view name, doc;
  Type type;
  std::string_view init = {};  // the default, written as a user would
  double min = -inf, max = inf;
  bool exclusive_min = false;  // min itself is not allowed
  std::span<const Choice> choices = {};
  std::optional<Law> changed_law = std::nullopt;  // the sampler's at every value but the default
};

using Settings = std::map<std::string, std::string>;  // what a user wrote: name -> text

// name -> value, complete and checked. Construction throws UsageError on an unknown name, a value of the wrong type or
// out of range, before any work starts; afterwards every lookup succeeds.
class Config {
 public:
  Config() = default;
  Config(std::string_view owner, std::span<const ParamSpec> specs, const Settings& given);

  double real(std::string_view name) const;
  std::int64_t integer(std::string_view name) const;
  bool flag(std::string_view name) const;
  const std::string& text(std::string_view name) const;  // choice or text

  using Value = std::variant<double, std::int64_t, bool, std::string>;
  const std::map<std::string, Value, std::less<>>& values() const { return values_; }

 private:
  const Value& value(std::string_view name) const;
  std::map<std::string, Value, std::less<>> values_;
};

Settings as_settings(const Config& config);  // every value as a user would write it

// The candidate closest to `name` in edit distance, or empty when none is near: for "did you mean".
std::string_view nearest_name(std::string_view name, std::span<const std::string_view> candidates);
// "unknown sampler 'nut'; did you mean 'nuts'?"
std::string unknown_name(std::string_view kind, std::string_view name, std::span<const std::string_view> candidates);

// A whole number as people write it: 1000, 1e3, 1_000. nullopt: it is not one.
std::optional<std::int64_t> parse_integer(std::string_view text);
std::optional<double> parse_real(std::string_view text);  // whole text, locale-free, finite or inf/nan spelled out

}  // namespace quasar
