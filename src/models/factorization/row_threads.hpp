// Rows shared out among threads: contiguous parts of about the same work.
#pragma once

#include <algorithm>
#include <exception>
#include <thread>
#include <vector>

#include <quasar/core.hpp>

namespace quasar {

// work(begin, end) on every part; begin_of_row: where the ratings of each row begin, and the end of the last. A row
// costs as much as its ratings and `own` further ones. What a part throws is thrown again; of several the first.
template <class Work>
void in_row_threads(const std::vector<Index>& begin_of_row, Index own, int threads, Work work) {
  const Index rows = std::ssize(begin_of_row) - 1, parts = std::clamp<Index>(threads, 1, std::max<Index>(rows, 1));
  const auto cost_before = [&](Index row) { return begin_of_row[static_cast<std::size_t>(row)] + own * row; };
  std::vector<Index> bounds{0};
  for (Index part = 1; part <= parts; ++part) {
    Index row = bounds.back();
    while (row < rows && cost_before(row) * parts < cost_before(rows) * part) ++row;
    bounds.push_back(row);
  }
  bounds.back() = rows;
  std::vector<std::exception_ptr> failures(static_cast<std::size_t>(parts));
  const auto run = [&](std::size_t part) {
    try {
      work(bounds[part], bounds[part + 1]);
    } catch (...) {
      failures[part] = std::current_exception();
    }
  };
  {
    std::vector<std::jthread> others;
    for (std::size_t part = 1; part < failures.size(); ++part) others.emplace_back(run, part);
    run(0);
  }
  for (const std::exception_ptr& failure : failures) {
    if (failure) std::rethrow_exception(failure);
  }
}

}  // namespace quasar
