// Packed ratings on disk: a head, a record for each of the columns user, item and rating, the lengths of all labels,
// the names of the columns, the labels of users, those of items, zeros up to a multiple of 4096 bytes, then the
// ratings. Numbers are little-endian.
#pragma once

#include <cstdint>
#include <limits>

#include "io/packed_format.hpp"

namespace quasar {

inline constexpr char packed_ratings_mark[8] = {'Q', 'S', 'R', 'R', 'A', 'T', 'E', '\0'};
inline constexpr std::uint32_t packed_ratings_version = 1;
inline constexpr std::uint64_t rating_columns_count = 3;

struct PackedRatingsHead {
  char mark[8];
  std::uint32_t version;
  std::uint32_t checksum;  // of the header: this head with a zero here, the records, the lengths, the texts
  std::uint64_t ratings, users, items;
  std::uint64_t text_bytes;  // of names and labels
  std::uint64_t data_begin, file_size;
  char content_hash[32];  // filled up with zeros
  std::uint32_t data_checksum;
  std::uint32_t unused;
};
static_assert(sizeof(PackedRatingsHead) == 104);

// What numbers of 32 bits can count, and a bound of what a damaged header can ask for.
inline constexpr std::uint64_t most_packed_labels = std::numeric_limits<std::int32_t>::max();
inline constexpr std::uint64_t most_packed_text_bytes = std::uint64_t{1} << 40;

constexpr std::uint64_t packed_ratings_header_size(const PackedRatingsHead& head) {
  return sizeof head + rating_columns_count * sizeof(PackedColumn) + (head.users + head.items) * sizeof(std::uint32_t) +
         head.text_bytes;
}
constexpr std::uint64_t packed_ratings_begin(const PackedRatingsHead& head) {
  return after_zeros(packed_ratings_header_size(head));
}

}  // namespace quasar
