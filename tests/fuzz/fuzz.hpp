// What every fuzz target shares: any input is either read or refused by an error of ours; all else is a crash.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include <quasar/errors.hpp>

namespace quasar::fuzz {

template <class Parse>
void read_or_refuse(Parse&& parse) {
  try {
    parse();
  } catch (const DataError&) {
  } catch (const UsageError&) {
  }
}

inline std::string_view text_of(const std::uint8_t* data, std::size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

inline void require(bool holds) {
  if (!holds) __builtin_trap();
}

}  // namespace quasar::fuzz
