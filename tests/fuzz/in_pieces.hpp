// Bytes that arrive a few at a time, so that whatever is parsed lies across reads.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <string_view>

#include "io/input_file.hpp"

namespace quasar::fuzz {

inline InputFile in_pieces(std::string_view bytes, std::size_t piece) {
  return {"fuzz", [bytes, piece](std::span<char> buffer) mutable {
            const std::size_t count = bytes.copy(buffer.data(), std::min(buffer.size(), piece));
            bytes.remove_prefix(count);
            return count;
          }};
}

}  // namespace quasar::fuzz
