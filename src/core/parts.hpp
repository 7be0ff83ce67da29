// Columns shared out among threads in fixed parts, so that no result depends on how many threads there are.
#pragma once

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <vector>

#include <quasar/core.hpp>

#include "core/shared_work.hpp"

namespace quasar {

inline constexpr Index columns_together = 32;

// use(thread, begin, end)
template <class Use>
void in_parts(Index columns, std::size_t threads, const Use& use, Index together = columns_together) {
  const Index parts = (columns + together - 1) / together;
  share_work(static_cast<std::size_t>(parts), threads, [&](std::size_t thread, std::size_t i) {
    const Index begin = static_cast<Index>(i) * together;
    use(thread, begin, std::min(columns, begin + together));
  });
}

// The sum of term(begin, end) over the parts, in their order.
template <class Term>
double sum_in_parts(Index columns, std::size_t threads, const Term& term) {
  std::vector<double> terms(static_cast<std::size_t>((columns + columns_together - 1) / columns_together));
  in_parts(columns, threads, [&](std::size_t, Index begin, Index end) {
    terms[static_cast<std::size_t>(begin / columns_together)] = term(begin, end);
  });
  return std::accumulate(terms.begin(), terms.end(), 0.0);
}

}  // namespace quasar
