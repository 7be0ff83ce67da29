// The inputs of a network, row by row: as they are, or only those that are not zero, where these are few. Four of five
// pixels of an image of a digit are zero.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include <quasar/core.hpp>

#include "simd/sparse_rows.hpp"

namespace quasar {

template <class Real>
class InputRows;

// Some of the rows, for as long as they and what they were gathered into are there.
template <class Real>
struct InputBlock {
  Index count = 0;
  const Real* dense = nullptr;  // one row after the other; null: they are sparse
  const InputRows<Real>* sparse = nullptr;
  std::span<const Index> ids = {};  // of sparse rows; empty: from `begin` on
  Index begin = 0;

  simd::SparseRow<Real> row(Index i) const {
    return sparse->row(ids.empty() ? begin + i : ids[static_cast<std::size_t>(i)]);
  }
};

template <class Real>
class InputRows {
 public:
  using Dense = Eigen::Matrix<Real, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;  // one row is contiguous
  static constexpr double few = 0.25;  // below this share of numbers that are not zero, only these are kept

  InputRows() = default;
  explicit InputRows(Dense all) : rows_(all.rows()), cols_(all.cols()) {
    const Index kept = (all.array() != Real(0)).count();
    if (static_cast<double>(kept) < few * static_cast<double>(all.size())) {
      keep_few(all, static_cast<std::size_t>(kept));
    } else {
      dense_ = std::move(all);
    }
  }

  Index rows() const { return rows_; }
  Index cols() const { return cols_; }
  bool sparse() const { return !begins_.empty(); }

  InputBlock<Real> range(Index begin, Index count) const {
    if (sparse()) return {count, nullptr, this, {}, begin};
    return {count, dense_.data() + begin * cols_};
  }
  InputBlock<Real> pick(std::span<const Index> ids, Dense& gathered) const {
    if (sparse()) return {std::ssize(ids), nullptr, this, ids};
    for (std::size_t i = 0; i < ids.size(); ++i) gathered.row(static_cast<Index>(i)) = dense_.row(ids[i]);
    return {std::ssize(ids), gathered.data()};
  }

  simd::SparseRow<Real> row(Index i) const {
    const std::size_t begin = begins_[static_cast<std::size_t>(i)];
    return {columns_.data() + begin, values_.data() + begin, begins_[static_cast<std::size_t>(i) + 1] - begin};
  }

 private:
  void keep_few(const Dense& all, std::size_t kept) {
    begins_.reserve(static_cast<std::size_t>(rows_) + 1);
    columns_.reserve(kept);
    values_.reserve(kept);
    begins_.push_back(0);
    for (Index i = 0; i < rows_; ++i) {
      for (Index j = 0; j < cols_; ++j) {
        if (all(i, j) == Real(0)) continue;
        columns_.push_back(static_cast<std::uint32_t>(j));
        values_.push_back(all(i, j));
      }
      begins_.push_back(values_.size());
    }
  }

  Index rows_ = 0, cols_ = 0;
  Dense dense_;
  std::vector<std::size_t> begins_;  // of each row in what follows, and the end; empty: the rows are dense
  std::vector<std::uint32_t> columns_;
  std::vector<Real> values_;
};

}  // namespace quasar
