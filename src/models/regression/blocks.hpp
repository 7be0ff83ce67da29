// Work on data a block of rows at a time: a block stays in cache, and scratch does not grow with the data.
#pragma once

#include <algorithm>
#include <span>

#include <quasar/core.hpp>

namespace quasar {

inline constexpr Index block_rows = 128;

template <class Use>
void each_block(Index begin, Index end, Use&& use) {  // use(begin, count)
  for (; begin < end; begin += block_rows) use(begin, std::min(block_rows, end - begin));
}

inline std::span<const Index> first_block(std::span<const Index> ids) {
  return ids.first(std::min(ids.size(), static_cast<std::size_t>(block_rows)));
}

template <class Use>
void each_block(std::span<const Index> ids, Use&& use) {  // use(the next ids)
  while (!ids.empty()) {
    const auto now = first_block(ids);
    use(now);
    ids = ids.subspan(now.size());
  }
}

}  // namespace quasar
