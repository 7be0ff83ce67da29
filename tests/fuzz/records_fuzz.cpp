// Files of records: the sound ones are read, and only those.
#include <vector>

#include "io/record_file.hpp"
#include "memory_file.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace quasar;
  static const fuzz::MemoryFile file;
  constexpr Index width = 2;
  file.set(fuzz::text_of(data, size));
  fuzz::read_or_refuse([&] {
    const RecordReader reader(file.path(), 1, width);
    const Index records = reader.records();
    fuzz::require(40 + records * 8 * (width + 1) <= static_cast<Index>(size));
    std::vector<double> numbers(static_cast<std::size_t>(records * width));
    if (records > 0) reader.read(0, 1, records, 0, width, numbers);
  });
  return 0;
}
