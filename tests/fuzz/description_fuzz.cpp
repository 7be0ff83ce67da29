// What describes an unfinished run, behind its checksum: what is read is written again and read as the same.
#include "fuzz.hpp"
#include "io/run_description.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace quasar;
  fuzz::read_or_refuse([&] {
    const std::string text = to_text(parse_description(fuzz::text_of(data, size), "fuzz"));
    fuzz::require(to_text(parse_description(text, "fuzz")) == text);
  });
  return 0;
}
