#include "core/labels.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "core/parse_number.hpp"

namespace quasar {

namespace {

// A decimal number as 0.d1d2d3... times a power of ten, d1 and the last digit other than 0.
struct Decimal {
  std::string digits;
  int exponent = 0;
  bool operator==(const Decimal&) const = default;
};

Decimal decimal(std::string_view number) {
  const std::size_t e = std::min(number.find_first_of("eE"), number.size());
  Decimal result;
  if (e < number.size()) {
    std::string_view power = number.substr(e + 1);
    if (power.starts_with('+')) power.remove_prefix(1);
    std::from_chars(power.data(), power.data() + power.size(), result.exponent);
  }
  bool fraction = false;
  for (const char c : number.substr(0, e)) {
    if (c == '.') fraction = true;
    if (c < '0' || c > '9') continue;
    const bool leading_zero = result.digits.empty() && c == '0';
    if (!leading_zero) result.digits += c;
    if (!fraction && !leading_zero) ++result.exponent;
    if (fraction && leading_zero) --result.exponent;
  }
  result.digits.erase(result.digits.find_last_not_of('0') + 1);
  if (result.digits.empty()) result.exponent = 0;
  return result;
}

}  // namespace

std::string number_label(double value) { return fmt::format("{}", value == 0 ? 0.0 : value); }  // -0 is 0

std::optional<double> number_in(std::string_view label) {
  const auto [value, problem] = parse_number(label);
  return problem.empty() && std::isfinite(value) ? std::optional(value) : std::nullopt;
}

std::string plain_label(std::string_view label) {
  const auto number = number_in(label);
  if (!number) return std::string(label);
  std::string shortest = number_label(*number);
  return decimal(shortest) == decimal(label) ? shortest : std::string(label);
}

}  // namespace quasar
