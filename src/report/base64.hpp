// Arrays of numbers as text that a page can hold: their little-endian bytes in base64 (RFC 4648).
#pragma once

#include <bit>
#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace quasar::report {

std::string base64(std::span<const std::byte> bytes);

template <class Number>
std::string base64(const std::vector<Number>& numbers) {
  static_assert(std::endian::native == std::endian::little, "pages hold little-endian numbers");
  return base64(std::as_bytes(std::span(numbers)));
}

}  // namespace quasar::report
