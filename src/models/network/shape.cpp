#include "models/network/shape.hpp"

#include <fmt/core.h>

#include <quasar/config.hpp>
#include <quasar/errors.hpp>

namespace quasar {

std::vector<Block> NetworkShape::groups() const {
  std::vector<Block> groups;
  Index begin = 0;
  for (Index layer = 0; layer < layers(); ++layer) {
    for (const Index size : {in(layer)*out(layer), out(layer)}) {
      groups.push_back({begin, size});
      begin += size;
    }
  }
  return groups;
}

std::vector<std::string> NetworkShape::group_names() const {
  std::vector<std::string> names;
  for (Index layer = 1; layer <= layers(); ++layer) {
    names.push_back(fmt::format("weights_{}", layer));
    names.push_back(fmt::format("bias_{}", layer));
  }
  return names;
}

Index NetworkShape::parameters() const {
  Index count = 0;
  for (Index layer = 0; layer < layers(); ++layer) count += (in(layer) + 1) * out(layer);
  return count;
}

std::vector<Index> parse_widths(std::string_view text) {
  constexpr std::int64_t most = 1'000'000;
  std::vector<Index> widths;
  for (std::string_view rest = text; !rest.empty();) {
    const std::size_t comma = rest.find(',');
    const auto units = parse_integer(rest.substr(0, comma));
    const bool more = comma != std::string_view::npos;
    if (!units || *units < 1 || *units > most || (more && comma + 1 == rest.size())) {
      throw UsageError(fmt::format("model.hidden={}: give the units of each hidden layer, 100 or 100,50", text));
    }
    widths.push_back(*units);
    rest.remove_prefix(more ? comma + 1 : rest.size());
  }
  return widths;
}

}  // namespace quasar
