// Tables. The first byte says how many bytes a read returns, so that fields and line ends lie across reads.
#include "fuzz.hpp"
#include "in_pieces.hpp"
#include "io/csv.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace quasar;
  if (size == 0) return 0;
  fuzz::read_or_refuse([&] {
    const Table table = read_csv(fuzz::in_pieces(fuzz::text_of(data + 1, size - 1), 1 + std::size_t{data[0]}));
    fuzz::require(table.rows() == std::ssize(table.lines) && table.columns() == std::ssize(table.names));
    fuzz::require(table.rows() > 0 && table.columns() > 0 && table.values.allFinite());
  });
  return 0;
}
