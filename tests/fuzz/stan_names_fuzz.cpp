// Names of a Stan program's values, as a library gives them: every value is named once, whatever they are.
#include <set>

#include "fuzz.hpp"
#include "targets/stan_names.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace quasar;
  fuzz::read_or_refuse([&] {
    const StanLayout stan = parse_stan_names(fuzz::text_of(data, size));
    const auto values = std::ssize(stan.source);
    fuzz::require(stan.layout.size() == values);
    const std::set<Index> sources(stan.source.begin(), stan.source.end());
    fuzz::require(std::ssize(sources) == values);
    fuzz::require(sources.empty() || (*sources.begin() == 0 && *sources.rbegin() == values - 1));
  });
  return 0;
}
