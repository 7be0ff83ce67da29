// Checkpoints and descriptions as they lie on disk: whole, or refused.
#include "fuzz.hpp"
#include "io/checked_file.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace quasar;
  fuzz::read_or_refuse([&] {
    const std::string content = checked_content(fuzz::text_of(data, size), "state", "fuzz");
    fuzz::require(content.size() + 40 == size);
  });
  return 0;
}
