// CRC-32 (ISO 3309, as in gzip): finds every burst of up to 32 flipped bits.
#pragma once

#include <zlib.h>

#include <cstddef>
#include <cstdint>
#include <span>

namespace quasar {

inline std::uint32_t checksum(std::span<const std::byte> bytes, std::uint32_t so_far = 0) {
  return static_cast<std::uint32_t>(
      crc32_z(so_far, reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size()));
}

// Of some bytes and `length` more behind them, each with a checksum of its own.
inline std::uint32_t joined_checksums(std::uint32_t first, std::uint32_t rest, std::int64_t length) {
  return static_cast<std::uint32_t>(crc32_combine(first, rest, length));
}

}  // namespace quasar
