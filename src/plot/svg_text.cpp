#include "plot/svg_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace quasar {
namespace {

constexpr std::uint32_t not_a_character = 0xFFFD;

struct Character {
  std::uint32_t code;
  std::size_t bytes;
};

bool in_xml(std::uint32_t c) {
  return c == '\t' || c == '\n' || c == '\r' || (c >= 0x20 && c < 0xD800) || (c >= 0xE000 && c < 0xFFFE) ||
         (c >= 0x10000 && c < 0x110000);
}

// The first one of a text that is not empty. What is not the shortest code of a character that XML allows is one bad
// byte.
Character first_of(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<std::uint32_t>(static_cast<unsigned char>(text[i])); };
  const std::uint32_t lead = byte(0);
  const std::size_t bytes = lead < 0x80 ? 1 : lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
  constexpr std::uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
  if ((lead >= 0x80 && lead < 0xC0) || lead >= 0xF8 || bytes > text.size()) return {not_a_character, 1};
  std::uint32_t code = bytes == 1 ? lead : lead & (0x7FU >> bytes);
  for (std::size_t i = 1; i < bytes; ++i) {
    if ((byte(i) & 0xC0U) != 0x80) return {not_a_character, 1};
    code = code << 6U | (byte(i) & 0x3FU);
  }
  return code >= least[bytes] && in_xml(code) ? Character{code, bytes} : Character{not_a_character, 1};
}

}  // namespace

std::string escaped(std::string_view text) {
  std::string result;
  while (!text.empty()) {
    const Character c = first_of(text);
    switch (c.code) {
      case '&':
        result += "&amp;";
        break;
      case '<':
        result += "&lt;";
        break;
      case '>':
        result += "&gt;";
        break;
      case '"':
        result += "&quot;";
        break;
      case '\'':
        result += "&#39;";
        break;
      case not_a_character:
        result += "\uFFFD";
        break;
      default:
        result += text.substr(0, c.bytes);
    }
    text.remove_prefix(c.bytes);
  }
  return result;
}

double text_width(std::string_view text, double size) {
  const auto continues = [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) == 0x80; };
  const auto characters = static_cast<std::ptrdiff_t>(text.size()) - std::count_if(text.begin(), text.end(), continues);
  return 0.6 * size * static_cast<double>(characters);
}

std::string pixels(double value) { return fmt::format("{}", std::round(value * 100) / 100 + 0.0); }  // + 0.0: no -0

std::string text_element(double x, double y, std::string_view text, std::string_view attributes) {
  return fmt::format("<text x=\"{}\" y=\"{}\"{}{}>{}</text>\n", pixels(x), pixels(y), attributes.empty() ? "" : " ",
                     attributes, escaped(text));
}

}  // namespace quasar
