// A metric written out as a matrix, for the record of a run: only where that is small.
#pragma once

#include <quasar/core.hpp>

namespace quasar {

inline constexpr Index largest_dense_record = 250;

template <Preconditioner P>
Mat small_dense(const P& metric, Index dim) {
  if (dim > largest_dense_record) return {};
  Mat h(dim, dim);
  for (Index i = 0; i < dim; ++i) metric.apply(Vec::Unit(dim, i), h.col(i));
  return h;
}

}  // namespace quasar
