// An order of 0 .. count-1 that looks random and is always the same: neighbours in a list, who often have something in
// common, end up far from each other.
#pragma once

#include <vector>

#include <quasar/rng.hpp>

namespace quasar {

inline std::vector<Index> fixed_order(Index count) {
  std::vector<Index> order(static_cast<std::size_t>(count));
  Rng(1).stream("fixed order").permutation(order);
  return order;
}

}  // namespace quasar
