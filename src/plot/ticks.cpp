#include "plot/ticks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

namespace quasar {
namespace {

constexpr double slack = 1e-9;  // of a step: a tick at the very end of the axis is on it

int exponent_of(double value) { return static_cast<int>(std::floor(std::log10(value) + slack)); }

// 1, 2 or 5 times a power of ten, the first that leaves no more than `about` steps.
double nice_step(double width, int about) {
  const double least = width / std::max(about, 1);
  const double power = std::pow(10, std::floor(std::log10(least)));
  for (const double factor : {1.0, 2.0, 5.0}) {
    if (factor * power >= least * (1 - slack)) return factor * power;
  }
  return 10 * power;
}

std::string superscript(int number) {
  constexpr std::array<std::string_view, 10> digits{"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
  std::string text;
  for (const char c : std::to_string(number)) text += c == '-' ? "⁻" : digits[static_cast<std::size_t>(c - '0')];
  return text;
}

std::string fixed(double value, int decimals) {
  std::string text = fmt::format("{:.{}f}", std::abs(value), std::clamp(decimals, 0, 15));
  return value < 0 ? "−" + text : text;
}

// Numbers a step apart, with as many decimals as tell them apart; very large and very small ones share a power of ten.
std::string label_of(double value, double step, double largest) {
  if (std::abs(value) < step / 2) return "0";
  const int of_step = exponent_of(step), of_largest = exponent_of(largest);
  if (of_largest < 6 && of_largest > -5 && of_step > -8) return fixed(value, -of_step);
  return fixed(value / std::pow(10, of_largest), of_largest - of_step) + "·10" + superscript(of_largest);
}

std::vector<Tick> linear_ticks(const Extent& extent, int about) {
  const double step = nice_step(extent.high - extent.low, about);
  const double largest = std::max(std::abs(extent.low), std::abs(extent.high));
  std::vector<Tick> all;
  if (!std::isfinite(step) || !(step > 0)) return all;
  const double first = std::ceil(extent.low / step - slack), last = std::floor(extent.high / step + slack);
  while (all.size() < 100) {
    const double i = first + static_cast<double>(all.size());
    if (!(i <= last)) break;
    all.push_back({i * step, label_of(i * step, step, largest)});
  }
  return all;
}

std::string log_label(int factor, int exponent, bool plain) {
  if (plain) return fixed(factor * std::pow(10, exponent), -exponent);
  const std::string power = "10" + superscript(exponent);
  return factor == 1 ? power : fmt::format("{}·{}", factor, power);
}

// Powers of ten, all of them or every so many; where there are few, 2 and 5 times them have a label too; where the axis
// is shorter than that, it is marked like a linear one.
std::vector<Tick> log_ticks(const Extent& extent, int about) {
  const int from = exponent_of(extent.low), to = exponent_of(extent.high);
  const double decades = std::log10(extent.high) - std::log10(extent.low);
  if (decades < 1) return linear_ticks(extent, about);
  const int every = std::max(1, static_cast<int>(std::ceil(decades / std::max(about, 1))));
  const bool few = 3 * decades <= about, plain = from >= -3 && to <= 3, minor = every == 1 && decades < 9;
  std::vector<Tick> all;
  for (int exponent = from; exponent <= to; ++exponent) {
    for (int factor = 1; factor < (minor ? 10 : 2); ++factor) {
      const double value = factor * std::pow(10, exponent);
      if (value < extent.low * (1 - slack) || value > extent.high * (1 + slack)) continue;
      const bool labelled = factor == 1 ? exponent % every == 0 : few && (factor == 2 || factor == 5);
      all.push_back({value, labelled ? log_label(factor, exponent, plain) : ""});
    }
  }
  return all;
}

std::vector<Tick> name_ticks(const Axis& axis, const Extent& extent, int about) {
  const std::size_t every = 1 + axis.names.size() / static_cast<std::size_t>(std::max(about, 1));
  std::vector<Tick> all;
  for (std::size_t i = 0; i < axis.names.size(); i += every) {
    const auto position = static_cast<double>(i);
    if (position >= extent.low && position <= extent.high) all.push_back({position, axis.names[i]});
  }
  return all;
}

}  // namespace

void Extent::include(double value) {
  low = std::min(low, value);
  high = std::max(high, value);
}

std::vector<Tick> ticks(const Axis& axis, const Extent& extent, int about) {
  if (!axis.marks.empty()) {
    std::vector<Tick> all;
    for (const auto& [value, label] : axis.marks) {
      if (value >= extent.low && value <= extent.high) all.push_back({value, label});
    }
    return all;
  }
  if (!axis.names.empty()) return name_ticks(axis, extent, about);
  return axis.log ? log_ticks(extent, about) : linear_ticks(extent, about);
}

}  // namespace quasar
