// The one loop of every generalised linear model: per block of rows, z = X b, then d logp / dz from the link, then
// grad += X' d. A block is still in cache when it is read for the second time, and scratch does not grow with the data.
#pragma once

#include <algorithm>
#include <memory>
#include <span>
#include <utility>

#include <quasar/core.hpp>

#include "models/regression/design.hpp"

namespace quasar {

class RowBlocks {
 public:
  static constexpr Index block = 128;

  explicit RowBlocks(std::shared_ptr<const Design> design);

  const Design& design() const { return *design_; }

  // link(z, y, slope) reads the linear predictor and the response of a block and writes d logp / dz.
  template <class Link>
  void visit_range(In b, Index begin, Index end, Out grad, Link&& link) {
    for (; begin < end; begin += block) {
      const Index n = std::min(block, end - begin);
      visit(design_->x().middleRows(begin, n), design_->y().segment(begin, n), b, grad, link);
    }
  }
  template <class Link>
  void visit_terms(In b, std::span<const Index> ids, Out grad, Link&& link) {
    while (!ids.empty()) {
      const auto now = ids.first(std::min(ids.size(), static_cast<std::size_t>(block)));
      gather(now);
      const auto n = static_cast<Index>(now.size());
      visit(gathered_x_.topRows(n), gathered_y_.head(n), b, grad, link);
      ids = ids.subspan(now.size());
    }
  }

 private:
  using Rows = Eigen::Ref<const Design::Matrix>;

  template <class Link>
  void visit(const Rows& x, In y, In b, Out grad, Link&& link) {
    auto z = z_.head(y.size());
    auto slope = slope_.head(y.size());
    predict(x, b, z);
    link(z, y, slope);
    accumulate(x, slope, grad);
  }
  void gather(std::span<const Index> ids);
  static void predict(const Rows& x, In b, Out z);            // z = X b
  static void accumulate(const Rows& x, In slope, Out grad);  // grad += X' slope

  std::shared_ptr<const Design> design_;
  Vec z_, slope_, gathered_y_;
  Design::Matrix gathered_x_;
};

}  // namespace quasar
