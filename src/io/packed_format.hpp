// A packed table on disk: a head, one record per column, the names of the columns one after the other, zeros up to a
// multiple of 4096 bytes, then the rows, one double per column. Numbers are little-endian.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>

#include <quasar/table.hpp>

#include "io/checksum.hpp"

namespace quasar {

static_assert(std::endian::native == std::endian::little, "packed tables are read as they lie on disk");

inline constexpr char packed_mark[8] = {'Q', 'S', 'R', 'P', 'A', 'C', 'K', '\0'};  // the NUL: never a text
inline constexpr std::uint32_t packed_version = 1;
inline constexpr std::uint64_t packed_alignment = 4096;  // of the first row: rows share no page with the header

struct PackedHead {
  char mark[8];
  std::uint32_t version;
  std::uint32_t checksum;  // of the header: this head with a zero here, the records, the names
  std::uint64_t rows, columns;
  std::uint64_t name_bytes;
  std::uint64_t data_begin, file_size;
  char content_hash[32];  // of the source, filled up with zeros
  std::uint32_t data_checksum;
  std::uint32_t unused;
};
static_assert(sizeof(PackedHead) == 96);

struct PackedColumn {
  double mean, squares, min, max;
  std::uint64_t first_not_binary;
  std::uint64_t name_length;
};
static_assert(sizeof(PackedColumn) == 48);

inline PackedColumn packed_column(const ColumnSummary& summary, std::size_t name_length) {
  return {summary.mean, summary.squares, summary.min, summary.max, static_cast<std::uint64_t>(summary.first_not_binary),
          name_length};
}
inline ColumnSummary summary_in(const PackedColumn& column) {
  return {column.mean, column.squares, column.min, column.max, static_cast<Index>(column.first_not_binary)};
}

// What one line of a CSV file can hold, and a bound of what a damaged header can ask for.
inline constexpr std::uint64_t most_packed_columns = 10'000'000;
inline constexpr std::uint64_t most_packed_name_bytes = std::uint64_t{256} << 20;

constexpr std::uint64_t packed_header_size(const PackedHead& head) {
  return sizeof head + head.columns * sizeof(PackedColumn) + head.name_bytes;
}
constexpr std::uint64_t after_zeros(std::uint64_t header_size) {
  return (header_size + packed_alignment - 1) / packed_alignment * packed_alignment;
}
constexpr std::uint64_t packed_data_begin(const PackedHead& head) { return after_zeros(packed_header_size(head)); }

// `rest`: all of the header that follows the head.
template <class Head>
std::uint32_t packed_header_checksum(Head head, std::span<const std::byte> rest) {
  head.checksum = 0;
  return checksum(rest, checksum(std::as_bytes(std::span(&head, 1))));
}

}  // namespace quasar
