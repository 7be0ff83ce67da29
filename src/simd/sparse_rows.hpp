// simd/sparse_rows.hpp -- products of rows that are mostly zero with the rows of a dense matrix, many columns at once.
#pragma once

#include <cstddef>
#include <cstdint>

namespace quasar::simd {

inline constexpr std::size_t padding = 16;  // numbers: what rows of dense matrices are a multiple of

template <class Real>
struct SparseRow {  // the numbers of a row that are not zero, and their columns
  const std::uint32_t* columns;
  const Real* values;
  std::size_t count;
};

// out = sum_k values[k] dense[columns[k]], rows of `width` numbers, a multiple of the padding.
void sparse_times_dense(const SparseRow<float>& row, const float* dense, std::size_t width, float* out);
void sparse_times_dense(const SparseRow<double>& row, const double* dense, std::size_t width, double* out);

// dense[columns[k]] += values[k] v for all k: the other way round.
void add_sparse_outer(const SparseRow<float>& row, const float* v, std::size_t width, float* dense);
void add_sparse_outer(const SparseRow<double>& row, const double* v, std::size_t width, double* dense);

// out[k] = dense[columns[k]] . v for all k.
void sparse_dots(const std::uint32_t* columns, std::size_t count, const double* dense, std::size_t width,
                 const double* v, double* out);

}  // namespace quasar::simd
