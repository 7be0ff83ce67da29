// Packed ratings. The checksum of the header is put right and the file is brought to the length that the header states
// (if that is not long), so that what lies behind these checks is reached too.
#include <array>
#include <cstring>
#include <string>

#include "io/packed_ratings.hpp"
#include "io/packed_ratings_format.hpp"
#include "memory_file.hpp"

namespace {

using namespace quasar;

std::string made_plausible(std::string bytes) {
  constexpr std::uint64_t longest = 1 << 16;
  PackedRatingsHead head;
  if (bytes.size() < sizeof head) return bytes;
  std::memcpy(&head, bytes.data(), sizeof head);
  if (head.users <= longest && head.items <= longest && head.text_bytes <= longest &&
      packed_ratings_header_size(head) <= bytes.size()) {
    const auto header = std::as_bytes(std::span(bytes)).first(packed_ratings_header_size(head));
    head.checksum = packed_header_checksum(head, header.subspan(sizeof head));
    std::memcpy(bytes.data(), &head, sizeof head);
  }
  if (head.file_size <= longest) bytes.resize(head.file_size);
  return bytes;
}

void read_first_and_last(const Table& table) {
  std::array<double, 3> row;
  for (const Index place : {Index{0}, table.rows() - 1}) {
    table.stored->read(place, 1, row.data());
    fuzz::require(static_cast<std::size_t>(row[0]) < table.levels[0].size());
    fuzz::require(static_cast<std::size_t>(row[1]) < table.levels[1].size());
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const fuzz::MemoryFile file;
  file.set(made_plausible(std::string(fuzz::text_of(data, size))));
  fuzz::read_or_refuse([&] {
    const Table table = open_packed_ratings(file.path());
    fuzz::require(is_packed_ratings(file.path()));
    fuzz::require(table.rows() > 0 && table.columns() == 3 && table.levels.size() == 3);
    read_first_and_last(table);
    verify_packed_ratings(file.path());
  });
  return 0;
}
