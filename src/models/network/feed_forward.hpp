// Scores of a fully connected network for a block of rows, and the way back: all large work is matrix products.
//
//   Z_l = f(Z_{l-1} W_l + 1 b_l')                                               forward, Z_0 the rows
//   dW_l = Z_{l-1}' E_l,  db_l = E_l' 1,  E_{l-1} = (E_l W_l') o f'(Z_{l-1})    backward, E the slopes of the scores
//
// (Rumelhart, Hinton and Williams 1986). Everything inside is Real, float or double; x and its gradient are double.
#pragma once

#include <algorithm>
#include <vector>

#include <quasar/core.hpp>

#include "models/network/input_rows.hpp"
#include "models/network/shape.hpp"
#include "models/network/sparse_layer.hpp"

namespace quasar {

inline constexpr Index network_block = 512;  // rows at a time: what they need fits into the cache

template <class Use>
void in_network_blocks(Index rows, Use&& use) {  // use(begin, count)
  for (Index begin = 0; begin < rows; begin += network_block) use(begin, std::min(network_block, rows - begin));
}

template <class Real>
class FeedForward {
 public:
  using Rows = typename InputRows<Real>::Dense;
  using Numbers = Eigen::Array<Real, Eigen::Dynamic, 1>;

  FeedForward(NetworkShape shape, bool sparse_inputs);
  const NetworkShape& shape() const { return shape_; }

  void take(In parameters);                    // what follows is at these
  void forward(const InputBlock<Real>& rows);  // one block of them at most
  // The scores of the rows; the caller turns them into the slopes of his function before backward.
  Eigen::Map<Rows> scores() { return values(shape_.layers() - 1); }
  void backward(const InputBlock<Real>& rows);
  void add_slopes(Out grad);  // those of all rows since the last call; forgets them

 private:
  Eigen::Map<Rows> values(Index layer);  // of the rows at hand
  Eigen::Map<const Rows> weights(Index layer) const;
  Eigen::Map<Rows> weight_slopes(Index layer);
  Eigen::Map<const Rows> dense(const InputBlock<Real>& rows) const;
  void activate(Index layer);
  void slope_through(Index layer);

  NetworkShape shape_;
  SparseLayer<Real> first_;  // where inputs are sparse
  std::vector<Block> groups_;
  Index rows_ = 0;
  Numbers parameters_, slopes_;
  std::vector<Numbers> values_, deltas_;  // by layer: Z, and the slopes of what went into f
};

extern template class FeedForward<float>;
extern template class FeedForward<double>;

}  // namespace quasar
