// The problems on manifolds that quasar optimize --problem solves: what it asks here, and what quasar list shows.
#pragma once

#include <span>
#include <string_view>

#include <quasar/config.hpp>

namespace quasar {

struct ProblemEntry {
  std::string_view name, manifold, doc;
  std::span<const ParamSpec> params;
  Config (*config)(const Settings& given);  // UsageError: what is wrong with them, whatever the data
};

std::span<const ProblemEntry> problems();
const ProblemEntry& problem(std::string_view name);  // UsageError, with the nearest name

}  // namespace quasar
