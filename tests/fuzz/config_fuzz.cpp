// Settings as texts: names, numbers, choices. The input is read as lines "name=value", as --set takes them.
#include <array>
#include <string>

#include <quasar/config.hpp>

#include "fuzz.hpp"

namespace {

using namespace quasar;

constexpr std::array<Choice, 2> choices = {Choice{"welford"}, Choice{"fisher_diag"}};
constexpr std::array<ParamSpec, 5> params = {{
    {.name = "step_size", .doc = "", .type = ParamSpec::real, .init = "0.5", .min = 0, .exclusive_min = true},
    {.name = "max_depth", .doc = "", .type = ParamSpec::integer, .init = "10", .min = 1, .max = 1e12},
    {.name = "adapt", .doc = "", .type = ParamSpec::boolean, .init = "true"},
    {.name = "metric", .doc = "", .type = ParamSpec::choice, .init = "welford", .choices = choices},
    {.name = "out", .doc = "", .type = ParamSpec::text},
}};

Settings settings_of(std::string_view text) {
  Settings settings;
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    const std::size_t equals = std::min(line.find('='), line.size());
    settings.emplace(line.substr(0, equals), line.substr(std::min(equals + 1, line.size())));
  }
  return settings;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fuzz::read_or_refuse([&] {
    const Config config("fuzz", params, settings_of(fuzz::text_of(data, size)));
    fuzz::require(config.real("step_size") > 0 && config.integer("max_depth") >= 1);
  });
  return 0;
}
