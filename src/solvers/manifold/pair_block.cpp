#include "solvers/manifold/pair_block.hpp"

#include <cmath>
#include <limits>

namespace quasar {
namespace {

// A displacement within this of the space of newer ones, relative to its length, tells of rounding alone.
constexpr double least_new_part = 1e-6;

}  // namespace

PairBlock::PairBlock(const Manifold& manifold, Index memory) : manifold_(&manifold) {
  const auto [rows, cols] = manifold.shape();
  z_.assign(static_cast<std::size_t>(memory), Mat::Zero(rows, cols));
  y_ = z_;
}

// Gram and Schmidt, twice, from the newest pair on; each y goes through the same combinations as its z.
void PairBlock::orthonormalize(const TangentPairs& pairs, MatIn x) {
  count_ = 0;
  for (Index i = pairs.pairs() - 1; i >= 0; --i) {
    Mat& z = z_[static_cast<std::size_t>(count_)];
    Mat& y = y_[static_cast<std::size_t>(count_)];
    const double length = manifold_->norm(x, pairs.z(i));
    z = pairs.z(i) / length;
    y = pairs.y(i) / length;
    for (Index k = 0; k < 2 * count_; ++k) {
      const auto other = static_cast<std::size_t>(k % count_);
      const double part = manifold_->inner(x, z_[other], z);
      z -= part * z_[other];
      y -= part * y_[other];
    }
    const double left = manifold_->norm(x, z);
    if (!(left > least_new_part)) continue;
    z /= left;
    y /= left;
    ++count_;
  }
}

void PairBlock::invert_curvature(MatIn x, double least) {
  curvature_.resize(count_, count_);
  for (Index i = 0; i < count_; ++i) {
    for (Index j = 0; j < count_; ++j) {
      curvature_(i, j) = manifold_->inner(x, z_[static_cast<std::size_t>(i)], y_[static_cast<std::size_t>(j)]);
    }
  }
  inverse_ = 0.5 * (curvature_ + curvature_.transpose());
  eigen_.compute(inverse_);
  const Vec& values = eigen_.eigenvalues();
  const double largest = values.cwiseAbs().maxCoeff();
  scale_ = 1 / std::max(largest, std::numeric_limits<double>::min());
  weights_ = values.unaryExpr([&](double w) { return std::abs(w) < least ? 0 : 1 / w; });
  inverse_ = eigen_.eigenvectors() * weights_.asDiagonal() * eigen_.eigenvectors().transpose();
  absolute_ = eigen_.eigenvectors() * weights_.cwiseAbs().asDiagonal() * eigen_.eigenvectors().transpose();
}

void PairBlock::apply(const TangentPairs& pairs, MatIn x, MatIn v, double least, MatOut out) {
  orthonormalize(pairs, x);
  invert_curvature(x, least);
  const auto products_with = [&](const std::vector<Mat>& vectors, MatIn u) {
    products_.resize(count_);
    for (Index i = 0; i < count_; ++i) products_[i] = manifold_->inner(x, vectors[static_cast<std::size_t>(i)], u);
  };
  const auto add = [&](const std::vector<Mat>& vectors, double scale) {
    for (Index i = 0; i < count_; ++i) out += scale * weights_[i] * vectors[static_cast<std::size_t>(i)];
  };
  products_with(z_, v);
  const Vec along = absolute_ * products_;
  weights_ = inverse_ * products_;
  out = v;
  add(y_, -1);
  out *= scale_;
  products_with(y_, out);
  weights_ = along - inverse_ * products_;
  add(z_, 1);
}

}  // namespace quasar
