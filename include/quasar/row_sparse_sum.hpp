// quasar/row_sparse_sum.hpp -- sums whose parameters are rows, of which a term touches few.
#pragma once

#include <span>
#include <vector>

#include <quasar/core.hpp>

namespace quasar {

// The first rows() * row_length() coordinates of x are rows of equal length, one after another; what follows them is
// drawn by Gibbs steps, or is nothing. Rows are independent under the prior, and those of one kind have the same law.
struct RowSparseSum : FiniteSum {
  virtual Index rows() const = 0;
  virtual Index row_length() const = 0;
  virtual Index kinds() const = 0;
  virtual Index kind_of(Index row) const = 0;

  // The rows that these terms touch, each once, in an order that depends on the terms alone. Scratch may be used.
  virtual void rows_of(std::span<const Index> ids, std::vector<Index>& rows) = 0;

  // The prior of a row of this kind given the rest of x: N(mean, 1/precision), coordinate by coordinate. False: its
  // coordinates are not independent.
  virtual bool row_prior(In x, Index kind, Out mean, Out precision) = 0;
};

}  // namespace quasar
