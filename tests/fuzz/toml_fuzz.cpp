// Run configurations.
#include "fuzz.hpp"
#include "io/toml_config.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace quasar;
  fuzz::read_or_refuse([&] {
    const TomlConfig config = parse_toml("folder/fuzz.toml", fuzz::text_of(data, size));
    for (const auto& [table, settings] : config.tables) {
      for (const auto& [key, value] : settings) config.where(table, key);
    }
  });
  return 0;
}
