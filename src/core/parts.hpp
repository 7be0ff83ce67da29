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

inline Index parts_of(Index columns, Index together = columns_together) { return (columns + together - 1) / together; }

// use(thread, begin, end)
template <class Use>
void in_parts(Index columns, std::size_t threads, const Use& use, Index together = columns_together) {
  share_work(static_cast<std::size_t>(parts_of(columns, together)), threads, [&](std::size_t thread, std::size_t i) {
    const Index begin = static_cast<Index>(i) * together;
    use(thread, begin, std::min(columns, begin + together));
  });
}

// The sum of term(begin, end) over the parts, in their order.
template <class Term>
double sum_in_parts(Index columns, std::size_t threads, const Term& term) {
  std::vector<double> terms(static_cast<std::size_t>(parts_of(columns)));
  in_parts(columns, threads, [&](std::size_t, Index begin, Index end) {
    terms[static_cast<std::size_t>(begin / columns_together)] = term(begin, end);
  });
  return std::accumulate(terms.begin(), terms.end(), 0.0);
}

// The same of vectors of a size: add(begin, end, sum) adds to what is 0 at first.
template <class Add>
Vec sum_vectors_in_parts(Index size, Index columns, std::size_t threads, const Add& add) {
  Mat sums = Mat::Zero(size, parts_of(columns));
  in_parts(columns, threads,
           [&](std::size_t, Index begin, Index end) { add(begin, end, sums.col(begin / columns_together)); });
  return sums.rowwise().sum();
}

}  // namespace quasar
