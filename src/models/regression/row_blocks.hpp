// The one loop of every generalised linear model: per block of rows, z = X b, then d logp / dz from the link, then
// grad += X' d. A block is still in cache when it is read for the second time, and scratch does not grow with the data.
#pragma once

#include <memory>
#include <span>

#include <quasar/core.hpp>

#include "models/regression/design_blocks.hpp"

namespace quasar {

class RowBlocks {
 public:
  explicit RowBlocks(std::shared_ptr<const Design> design);

  const Design& design() const { return blocks_.design(); }

  // link(z, y, slope) reads the linear predictor and the response of a block and writes d logp / dz.
  template <class Link>
  void visit_range(In b, Index begin, Index end, Out grad, Link&& link) {
    blocks_.each_of_range(begin, end, [&](const Rows& x, In y) { visit(x, y, b, grad, link); });
  }
  template <class Link>
  void visit_terms(In b, std::span<const Index> ids, Out grad, Link&& link) {
    blocks_.each_of_terms(ids, [&](const Rows& x, In y) { visit(x, y, b, grad, link); });
  }
  void prefetch(std::span<const Index> ids) { blocks_.prefetch(ids); }

 private:
  using Rows = DesignBlocks::Rows;

  template <class Link>
  void visit(const Rows& x, In y, In b, Out grad, Link&& link) {
    auto z = z_.head(y.size());
    auto slope = slope_.head(y.size());
    predict(x, b, z);
    link(z, y, slope);
    accumulate(x, slope, grad);
  }
  static void predict(const Rows& x, In b, Out z);            // z = X b
  static void accumulate(const Rows& x, In slope, Out grad);  // grad += X' slope

  DesignBlocks blocks_;
  Vec z_, slope_;
};

}  // namespace quasar
