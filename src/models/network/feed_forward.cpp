#include "models/network/feed_forward.hpp"

#include <cblas.h>

namespace quasar {

namespace {

void gemm(CBLAS_TRANSPOSE ta, CBLAS_TRANSPOSE tb, int m, int n, int k, const float* a, int lda, const float* b, int ldb,
          float* c, int ldc) {
  cblas_sgemm(CblasRowMajor, ta, tb, m, n, k, 1, a, lda, b, ldb, 1, c, ldc);
}

void gemm(CBLAS_TRANSPOSE ta, CBLAS_TRANSPOSE tb, int m, int n, int k, const double* a, int lda, const double* b,
          int ldb, double* c, int ldc) {
  cblas_dgemm(CblasRowMajor, ta, tb, m, n, k, 1, a, lda, b, ldb, 1, c, ldc);
}

enum class Side { plain, transposed };

CBLAS_TRANSPOSE transposition(Side side) { return side == Side::plain ? CblasNoTrans : CblasTrans; }

// c += a b, each as it is or transposed. Eigen's own products use no more than SSE2 in a portable build.
template <class A, class B, class C>
void add_product(const A& a, Side as, const B& b, Side bs, C& c) {
  const auto inner = as == Side::plain ? a.cols() : a.rows();
  gemm(transposition(as), transposition(bs), static_cast<int>(c.rows()), static_cast<int>(c.cols()),
       static_cast<int>(inner), a.data(), static_cast<int>(a.cols()), b.data(), static_cast<int>(b.cols()), c.data(),
       static_cast<int>(c.cols()));
}

}  // namespace

template <class Real>
FeedForward<Real>::FeedForward(NetworkShape shape, bool sparse_inputs)
    : shape_(std::move(shape)),
      first_(sparse_inputs ? SparseLayer<Real>(shape_.inputs(), shape_.out(0)) : SparseLayer<Real>()),
      groups_(shape_.groups()),
      parameters_(shape_.parameters()),
      slopes_(Numbers::Zero(shape_.parameters())) {
  for (Index layer = 0; layer < shape_.layers(); ++layer) {
    values_.emplace_back(network_block * shape_.out(layer));
    deltas_.emplace_back(layer + 1 < shape_.layers() ? network_block * shape_.out(layer) : 0);
  }
}

template <class Real>
Eigen::Map<typename FeedForward<Real>::Rows> FeedForward<Real>::values(Index layer) {
  return {values_[static_cast<std::size_t>(layer)].data(), rows_, shape_.out(layer)};
}

template <class Real>
Eigen::Map<const typename FeedForward<Real>::Rows> FeedForward<Real>::weights(Index layer) const {
  return {parameters_.data() + groups_[static_cast<std::size_t>(2 * layer)].begin, shape_.in(layer), shape_.out(layer)};
}

template <class Real>
Eigen::Map<typename FeedForward<Real>::Rows> FeedForward<Real>::weight_slopes(Index layer) {
  return {slopes_.data() + groups_[static_cast<std::size_t>(2 * layer)].begin, shape_.in(layer), shape_.out(layer)};
}

template <class Real>
void FeedForward<Real>::take(In parameters) {
  parameters_ = parameters.array().template cast<Real>();
  if (first_.used()) first_.take(weights(0));
}

template <class Real>
void FeedForward<Real>::forward(const InputBlock<Real>& rows) {
  rows_ = rows.count;
  for (Index layer = 0; layer < shape_.layers(); ++layer) {
    const Block bias = groups_[static_cast<std::size_t>(2 * layer + 1)];
    auto z = values(layer);
    z.rowwise() = parameters_.segment(bias.begin, bias.size).matrix().transpose();
    if (layer > 0) {
      add_product(values(layer - 1), Side::plain, weights(layer), Side::plain, z);
    } else if (first_.used()) {
      first_.add_product(rows, z);
    } else {
      add_product(dense(rows), Side::plain, weights(layer), Side::plain, z);
    }
    if (layer + 1 < shape_.layers()) activate(layer);
  }
}

template <class Real>
void FeedForward<Real>::activate(Index layer) {
  auto z = values_[static_cast<std::size_t>(layer)].head(rows_ * shape_.out(layer));
  switch (shape_.activation) {
    case Activation::sigmoid:
      z = (1 + (-z).exp()).inverse();
      break;
    case Activation::tanh:
      z = z.tanh();
      break;
    case Activation::relu:
      z = z.max(Real(0));
      break;
  }
}

// f' as a function of the value of f.
template <class Real>
void FeedForward<Real>::slope_through(Index layer) {
  const Index size = rows_ * shape_.out(layer);
  const auto z = values_[static_cast<std::size_t>(layer)].head(size);
  auto slope = deltas_[static_cast<std::size_t>(layer)].head(size);
  switch (shape_.activation) {
    case Activation::sigmoid:
      slope *= z * (1 - z);
      break;
    case Activation::tanh:
      slope *= 1 - z.square();
      break;
    case Activation::relu:
      slope *= (z > Real(0)).template cast<Real>();
      break;
  }
}

template <class Real>
void FeedForward<Real>::backward(const InputBlock<Real>& rows) {
  for (Index layer = shape_.layers() - 1; layer >= 0; --layer) {
    const bool last = layer + 1 == shape_.layers();
    const Block b = groups_[static_cast<std::size_t>(2 * layer + 1)];
    const Eigen::Map<const Rows> delta((last ? values_ : deltas_)[static_cast<std::size_t>(layer)].data(), rows_,
                                       shape_.out(layer));
    auto slopes = weight_slopes(layer);
    slopes_.segment(b.begin, b.size) += delta.colwise().sum().transpose().array();
    if (layer > 0) {
      add_product(values(layer - 1), Side::transposed, delta, Side::plain, slopes);
      Eigen::Map<Rows> back(deltas_[static_cast<std::size_t>(layer) - 1].data(), rows_, shape_.in(layer));
      back.setZero();
      add_product(delta, Side::plain, weights(layer), Side::transposed, back);
      slope_through(layer - 1);
    } else if (first_.used()) {
      first_.add_slopes_of(rows, delta);
    } else {
      add_product(dense(rows), Side::transposed, delta, Side::plain, slopes);
    }
  }
}

template <class Real>
void FeedForward<Real>::add_slopes(Out grad) {
  if (first_.used()) first_.move_slopes(weight_slopes(0));
  grad.array() += slopes_.template cast<double>();
  slopes_.setZero();
}

template <class Real>
Eigen::Map<const typename FeedForward<Real>::Rows> FeedForward<Real>::dense(const InputBlock<Real>& rows) const {
  return {rows.dense, rows.count, shape_.inputs()};
}

template class FeedForward<float>;
template class FeedForward<double>;

}  // namespace quasar
