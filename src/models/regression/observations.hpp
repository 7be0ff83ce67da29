// One column of a table less its mean, a block at a time, in memory or not.
#pragma once

#include <memory>
#include <optional>
#include <span>

#include <quasar/core.hpp>
#include <quasar/table.hpp>

#include "models/regression/blocks.hpp"
#include "models/regression/stored_rows.hpp"

namespace quasar {

class Observations {
 public:
  Observations(const Table& table, Index column);

  Index size() const { return size_; }
  double mean() const { return summary_.mean; }
  double squares() const { return summary_.squares; }  // the sum of squared deviations from the mean

  // use(deviations) for one block after the other. They are always copied: the sum of a block depends on where it lies.
  template <class Use>
  void each_of_range(Index begin, Index end, Use&& use) {
    each_block(begin, end, [&](Index first, Index n) {
      load(first, n, end);
      use(deviations_.head(n));
    });
  }
  template <class Use>
  void each_of_terms(std::span<const Index> ids, Use&& use) {
    each_block(ids, [&](std::span<const Index> now) {
      gather(now);
      use(deviations_.head(std::ssize(now)));
    });
  }
  void prefetch(std::span<const Index> ids);

 private:
  void load(Index begin, Index count, Index end_of_range);
  void gather(std::span<const Index> ids);
  void take_rows(std::span<const double> values, Out deviations) const;

  Index size_, column_, columns_;
  ColumnSummary summary_;
  std::shared_ptr<const Vec> values_;  // in memory
  std::optional<StoredRows> stored_;   // or not
  Vec deviations_;                     // of one block
};

}  // namespace quasar
