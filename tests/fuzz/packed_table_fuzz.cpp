// Packed tables. The checksum of the header is put right and the file is brought to the length that the header states
// (if that is not long), so that what lies behind these checks is reached too.
#include <cstring>
#include <string>
#include <vector>

#include "io/packed_format.hpp"
#include "io/packed_table.hpp"
#include "memory_file.hpp"

namespace {

using namespace quasar;

std::string made_plausible(std::string bytes) {
  constexpr std::uint64_t longest = 1 << 16;
  PackedHead head;
  if (bytes.size() < sizeof head) return bytes;
  std::memcpy(&head, bytes.data(), sizeof head);
  if (head.columns <= longest && head.name_bytes <= longest && packed_header_size(head) <= bytes.size()) {
    const auto header = std::as_bytes(std::span(bytes)).first(packed_header_size(head));
    head.checksum = packed_header_checksum(head, header.subspan(sizeof head));
    std::memcpy(bytes.data(), &head, sizeof head);
  }
  if (head.file_size <= longest) bytes.resize(head.file_size);
  return bytes;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const fuzz::MemoryFile file;
  file.set(made_plausible(std::string(fuzz::text_of(data, size))));
  fuzz::read_or_refuse([&] {
    const Table table = open_packed_table(file.path());
    fuzz::require(is_packed_table(file.path()));
    fuzz::require(table.rows() > 0 && table.columns() > 0);
    fuzz::require(std::ssize(table.summaries) == table.columns());
    std::vector<double> row(static_cast<std::size_t>(table.columns()));
    table.stored->read(0, 1, row.data());
    table.stored->read(table.rows() - 1, 1, row.data());
    verify_packed_table(file.path());
  });
  return 0;
}
