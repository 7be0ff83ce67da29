// The first layer of a network on sparse inputs: products that skip what is zero. Rows of weights and slopes are padded
// to whole vectors and begin where cache lines do.
#pragma once

#include <cstdint>

#include <quasar/core.hpp>

#include "models/network/input_rows.hpp"

namespace quasar {

template <class Real>
class SparseLayer {
 public:
  using Rows = typename InputRows<Real>::Dense;

  SparseLayer() = default;  // for dense inputs
  SparseLayer(Index inputs, Index units)
      : inputs_(inputs), width_((units + pad - 1) / pad * pad), weights_(zeros()), slopes_(zeros()), row_(zeros(1)) {}

  bool used() const { return inputs_ > 0; }
  void take(const Eigen::Map<const Rows>& weights) { padded(weights_, inputs_).leftCols(weights.cols()) = weights; }

  void add_product(const InputBlock<Real>& rows, Eigen::Map<Rows>& z) {
    for (Index i = 0; i < rows.count; ++i) {
      simd::sparse_times_dense(rows.row(i), aligned(weights_), static_cast<std::size_t>(width_), aligned(row_));
      z.row(i) += padded(row_, 1).leftCols(z.cols());
    }
  }

  void add_slopes_of(const InputBlock<Real>& rows, const Eigen::Map<const Rows>& delta) {
    for (Index i = 0; i < rows.count; ++i) {
      padded(row_, 1).leftCols(delta.cols()) = delta.row(i);
      simd::add_sparse_outer(rows.row(i), aligned(row_), static_cast<std::size_t>(width_), aligned(slopes_));
    }
  }

  // Those of all rows since the last call; forgets them.
  void move_slopes(Eigen::Map<Rows> to) {
    to += padded(slopes_, inputs_).leftCols(to.cols());
    slopes_.setZero();
  }

 private:
  using Numbers = Eigen::Array<Real, Eigen::Dynamic, 1>;
  static constexpr Index pad = simd::padding;

  Numbers zeros(Index rows) const { return Numbers::Zero(rows * width_ + pad); }
  Numbers zeros() const { return zeros(inputs_); }

  static Real* aligned(Numbers& numbers) {
    constexpr std::uintptr_t line = pad * sizeof(Real);
    const auto at = reinterpret_cast<std::uintptr_t>(numbers.data());
    return numbers.data() + (line - at % line) % line / sizeof(Real);
  }
  Eigen::Map<Rows> padded(Numbers& numbers, Index rows) { return {aligned(numbers), rows, width_}; }

  Index inputs_ = 0, width_ = 0;
  Numbers weights_, slopes_, row_;
};

}  // namespace quasar
