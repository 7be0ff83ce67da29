// Tables. The first byte says how many bytes a read returns, so that fields and line ends lie across reads.
#include <algorithm>
#include <span>

#include "fuzz.hpp"
#include "io/csv.hpp"

namespace {

quasar::InputFile in_pieces(std::string_view bytes, std::size_t piece) {
  return {"fuzz.csv", [bytes, piece](std::span<char> buffer) mutable {
            const std::size_t count = bytes.copy(buffer.data(), std::min(buffer.size(), piece));
            bytes.remove_prefix(count);
            return count;
          }};
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace quasar;
  if (size == 0) return 0;
  fuzz::read_or_refuse([&] {
    const Table table = read_csv(in_pieces(fuzz::text_of(data + 1, size - 1), 1 + std::size_t{data[0]}));
    fuzz::require(table.rows() == std::ssize(table.lines) && table.columns() == std::ssize(table.names));
    fuzz::require(table.rows() > 0 && table.columns() > 0 && table.values.allFinite());
  });
  return 0;
}
