// The rows of a design, a block at a time, wherever they are: views of those in memory, copies of all others.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "models/regression/blocks.hpp"
#include "models/regression/design.hpp"
#include "models/regression/stored_rows.hpp"

namespace quasar {

class DesignBlocks {
 public:
  using Rows = Eigen::Ref<const Design::Matrix>;

  explicit DesignBlocks(std::shared_ptr<const Design> design);

  const Design& design() const { return *design_; }

  // use(x, y, group) for one block after the other, group of each row or empty; copies are valid until the next one.
  template <class Use>
  void each_of_range(Index begin, Index end, Use&& use) {
    each_block(begin, end, [&](Index first, Index n) {
      if (stored_) {
        load(first, n, end);
        use(x_.topRows(n), y_.head(n), first_groups(n));
      } else {
        const auto group = design_->group();
        use(in_memory(first, n), design_->y().segment(first, n),
            group.empty() ? group : group.subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(n)));
      }
    });
  }
  template <class Use>
  void each_of_terms(std::span<const Index> ids, Use&& use) {
    if (!stored_) fetch(first_block(ids));
    each_block(ids, [&](std::span<const Index> now) {
      gather(now);
      ids = ids.subspan(now.size());
      if (!stored_) fetch(first_block(ids));
      use(x_.topRows(std::ssize(now)), y_.head(std::ssize(now)), first_groups(std::ssize(now)));
    });
  }
  void prefetch(std::span<const Index> ids);

 private:
  std::span<const Index> first_groups(Index count) const {
    return std::span(group_).first(group_.empty() ? 0 : static_cast<std::size_t>(count));
  }
  Rows in_memory(Index begin, Index count);
  void load(Index begin, Index count, Index end_of_range);
  void gather(std::span<const Index> ids);
  void fetch(std::span<const Index> ids) const;  // of those in memory: they will be gathered next

  std::shared_ptr<const Design> design_;
  std::optional<StoredRows> stored_;
  Design::Matrix x_;
  Vec y_;
  std::vector<Index> group_;  // empty without groups
};

}  // namespace quasar
