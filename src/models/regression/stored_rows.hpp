// One chain's way to rows that are not in memory: a buffer for runs of them, another for rows picked here and there.
#pragma once

#include <algorithm>
#include <array>
#include <memory>
#include <span>

#include <quasar/core.hpp>
#include <quasar/table.hpp>

#include "models/regression/blocks.hpp"

namespace quasar {

class StoredRows {
 public:
  StoredRows(std::shared_ptr<const RowSource> source, Index columns);

  // take(values, done) for the rows of a block, in one or more pieces; `done` rows have been taken before. What has to
  // be read is read in runs of about a megabyte that stay before `end_of_range`, and the run that follows is announced.
  template <class Take>
  void take(Index begin, Index count, Index end_of_range, Take&& take) {
    for (Index done = 0; done < count;) {
      const Index rows = std::min(hold(begin + done, end_of_range), count - done);
      take(values(begin + done, rows), done);
      done += rows;
    }
  }

  // The values of the rows of a block in the order of `ids`; they are read in the order of the file.
  std::span<const double> pick(std::span<const Index> ids);

  void announce(std::span<const Index> ids);  // they will be picked soon

 private:
  struct Run {  // rows that one read fetches, for so many ids
    Index begin, rows;
    std::size_t ids;
  };
  Index hold(Index row, Index end_of_range);  // how many rows from this one on are in the buffer now
  std::span<const double> values(Index row, Index count) const;
  void sort(std::span<const Index> ids);
  Run next_run(std::span<const Index> ids, std::size_t from) const;
  void read_run(Index begin, Index rows);

  std::shared_ptr<const RowSource> source_;
  Index columns_, run_rows_, gap_;
  Vec run_, picked_;
  Index held_begin_ = 0, held_end_ = 0;    // the rows in run_
  std::array<Index, block_rows> order_{};  // places of ids, by the place of their rows in the file
};

}  // namespace quasar
