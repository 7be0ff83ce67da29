// The one loop of every generalised linear model: per block of rows z = X B + the effects of the rows' groups, then
// d logp / dz from the link, then grad += X' d. A block is still in cache when it is read for the second time, and
// scratch does not grow with the data.
#pragma once

#include <memory>
#include <span>

#include <quasar/core.hpp>

#include "models/regression/design_blocks.hpp"

namespace quasar {

// What linear predictors are made of, one after the other for each of them: coefficients, and effects of groups.
struct Weights {
  Eigen::Ref<const Vec> coefficients, effects;
};
struct WeightSlopes {
  Eigen::Ref<Vec> coefficients, effects;
};

class RowBlocks {
 public:
  RowBlocks(std::shared_ptr<const Design> design, Index outputs);  // linear predictors of a row

  const Design& design() const { return blocks_.design(); }
  Index outputs() const { return z_.cols(); }

  // link(z, y, slope) reads the linear predictors and the response of a block and writes d logp / dz.
  template <class Link>
  void visit_range(const Weights& at, Index begin, Index end, WeightSlopes& grad, Link&& link) {
    blocks_.each_of_range(
        begin, end, [&](const Rows& x, In y, std::span<const Index> group) { visit(x, y, group, at, grad, link); });
  }
  template <class Link>
  void visit_terms(const Weights& at, std::span<const Index> ids, WeightSlopes& grad, Link&& link) {
    blocks_.each_of_terms(
        ids, [&](const Rows& x, In y, std::span<const Index> group) { visit(x, y, group, at, grad, link); });
  }
  // use(z, y) without a way back: what prediction needs. prepare(groups of a block) may still set their effects.
  template <class Prepare, class Use>
  void each_prediction(const Weights& at, Index begin, Index end, Prepare&& prepare, Use&& use) {
    blocks_.each_of_range(begin, end, [&](const Rows& x, In y, std::span<const Index> group) {
      prepare(group);
      auto z = z_.topRows(y.size());
      predict(x, group, at, z);
      use(z, y);
    });
  }
  void prefetch(std::span<const Index> ids) { blocks_.prefetch(ids); }

 private:
  using Rows = DesignBlocks::Rows;

  template <class Link>
  void visit(const Rows& x, In y, std::span<const Index> group, const Weights& at, WeightSlopes& grad, Link&& link) {
    auto z = z_.topRows(y.size());
    auto slope = slope_.topRows(y.size());
    predict(x, group, at, z);
    link(z, y, slope);
    accumulate(x, group, slope, grad);
  }
  static void predict(const Rows& x, std::span<const Index> group, const Weights& at, Eigen::Ref<Mat> z);
  static void accumulate(const Rows& x, std::span<const Index> group, const Eigen::Ref<const Mat>& slope,
                         WeightSlopes& grad);

  DesignBlocks blocks_;
  Mat z_, slope_;
};

}  // namespace quasar
