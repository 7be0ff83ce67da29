#include "report/base64.hpp"

#include <algorithm>
#include <cstdint>
#include <string_view>

namespace quasar::report {

std::string base64(std::span<const std::byte> bytes) {
  constexpr std::string_view digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text((bytes.size() + 2) / 3 * 4, '=');
  for (std::size_t begin = 0, at = 0; begin < bytes.size(); begin += 3, at += 4) {
    const std::size_t count = std::min<std::size_t>(3, bytes.size() - begin);
    std::uint32_t word = 0;
    for (std::size_t i = 0; i < count; ++i) word |= std::to_integer<std::uint32_t>(bytes[begin + i]) << (16 - 8 * i);
    for (std::size_t i = 0; i <= count; ++i) text[at + i] = digits[(word >> (18 - 6 * i)) & 63];
  }
  return text;
}

}  // namespace quasar::report
