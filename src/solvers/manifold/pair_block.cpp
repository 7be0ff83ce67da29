#include "solvers/manifold/pair_block.hpp"

#include <algorithm>
#include <cmath>

extern "C" void dsyev_(const char* job, const char* triangle, const int* n, double* a, const int* stride,
                       double* values, double* work, const int* work_size, int* info);

namespace quasar {
namespace {

// A displacement within this of the space of newer ones, relative to its length, tells of rounding alone, and so does a
// curvature relative to the largest: the part of y that is left of such a displacement is enlarged as much.
constexpr double least_new_part = 1e-8;

}  // namespace

// LAPACK rather than Eigen, which allocates. Its workspace is 3 n at least.
PairBlock::PairBlock(const Manifold& manifold, Index memory)
    : manifold_(&manifold),
      vectors_(memory, memory),
      values_(memory),
      work_(std::max<Index>(1, 3 * memory)),
      one_over_(memory),
      one_over_size_(memory),
      along_(memory),
      newton_(memory),
      turned_(memory) {
  const auto [rows, cols] = manifold.shape();
  z_.assign(static_cast<std::size_t>(memory), Mat::Zero(rows, cols));
  y_ = z_;
}

// Gram and Schmidt, twice; y goes through the same combinations as z, and then z'y_k of the newer y_k holds for y too.
bool PairBlock::add(MatIn x, MatIn z, MatIn y) {
  Mat& new_z = z_[static_cast<std::size_t>(count_)];
  Mat& new_y = y_[static_cast<std::size_t>(count_)];
  const double length = manifold_->norm(x, z);
  new_z = z / length;
  new_y = y / length;
  for (Index k = 0; k < 2 * count_; ++k) {
    const auto newer = static_cast<std::size_t>(k % count_);
    const double part = manifold_->inner(x, z_[newer], new_z);
    new_z -= part * z_[newer];
    new_y -= part * y_[newer];
  }
  const double left = manifold_->norm(x, new_z);
  if (!(left > least_new_part)) return false;
  new_z /= left;
  new_y /= left;
  for (Index k = 0; k < count_; ++k) {
    const auto newer = static_cast<std::size_t>(k);
    new_y += (manifold_->inner(x, new_z, y_[newer]) - manifold_->inner(x, z_[newer], new_y)) * z_[newer];
  }
  return true;
}

// Of S, whose entries come from the newer y. false: numbers that are not finite.
bool PairBlock::find_spectrum(MatIn x) {
  for (Index i = 0; i < count_; ++i) {
    for (Index j = 0; j <= i; ++j) {
      vectors_(i, j) = manifold_->inner(x, z_[static_cast<std::size_t>(i)], y_[static_cast<std::size_t>(j)]);
      if (!std::isfinite(vectors_(i, j))) return false;
    }
  }
  const int n = static_cast<int>(count_), stride = static_cast<int>(vectors_.rows()),
            work_size = static_cast<int>(work_.size());
  int info = 0;
  dsyev_("V", "L", &n, vectors_.data(), &stride, values_.data(), work_.data(), &work_size, &info);
  return info == 0;
}

void PairBlock::learn(const TangentPairs& pairs, MatIn x, double least) {
  count_ = 0;
  if (pairs.pairs() == 0) return;
  double largest = 0;
  for (Index i = pairs.pairs() - 1; i >= 0; --i) {
    largest = std::max(largest, manifold_->norm(x, pairs.y(i)) / manifold_->norm(x, pairs.z(i)));
    if (add(x, pairs.z(i), pairs.y(i))) ++count_;
  }
  if (!find_spectrum(x)) count_ = 0;
  for (Index i = 0; i < count_; ++i) largest = std::max(largest, std::abs(values_[i]));
  for (Index i = 0; i < count_; ++i) {
    const double w = values_[i];
    one_over_[i] = std::abs(w) <= std::max(least, least_new_part * largest) ? 0 : 1 / w;
    one_over_size_[i] = std::abs(one_over_[i]);
  }
  scale_ = 1 / largest;
}

void PairBlock::multiply(MatIn x, const std::vector<Mat>& vectors, MatIn v, Vec& out) const {
  for (Index i = 0; i < count_; ++i) out[i] = manifold_->inner(x, vectors[static_cast<std::size_t>(i)], v);
}

// c <- S^-1 c, or |S|^-1 c
void PairBlock::divide(const Vec& one_over, Vec& coefficients) {
  const auto vectors = vectors_.topLeftCorner(count_, count_);
  turned_.head(count_).noalias() = vectors.transpose() * coefficients.head(count_);
  turned_.head(count_).array() *= one_over.head(count_).array();
  coefficients.head(count_).noalias() = vectors * turned_.head(count_);
}

void PairBlock::apply(MatIn x, MatIn v, MatOut out) {
  multiply(x, z_, v, newton_);
  along_ = newton_;
  divide(one_over_size_, along_);
  divide(one_over_, newton_);
  out = v;
  for (Index i = 0; i < count_; ++i) out -= newton_[i] * y_[static_cast<std::size_t>(i)];
  out *= scale_;
  multiply(x, y_, out, newton_);
  divide(one_over_, newton_);
  for (Index i = 0; i < count_; ++i) out += (along_[i] - newton_[i]) * z_[static_cast<std::size_t>(i)];
}

}  // namespace quasar
