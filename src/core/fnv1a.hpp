// FNV-1a, 64 bits (Fowler, Noll, Vo; RFC 9923): a name for a text, fast and without state.
#pragma once

#include <cstdint>
#include <string_view>

namespace quasar {

inline constexpr std::uint64_t fnv1a_of_nothing = 0xcbf29ce484222325;

// The hash of `before` followed by `bytes`, given the hash of `before`.
constexpr std::uint64_t fnv1a(std::string_view bytes, std::uint64_t before = fnv1a_of_nothing) {
  std::uint64_t hash = before;
  for (const char byte : bytes) hash = (hash ^ static_cast<unsigned char>(byte)) * 0x100000001b3;
  return hash;
}

}  // namespace quasar
