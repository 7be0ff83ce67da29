#include "models/factorization/row_conditional.hpp"

#include <Eigen/Cholesky>

#include <algorithm>
#include <cmath>

#include <quasar/errors.hpp>

#include "simd/outer_products.hpp"

namespace quasar {

namespace {

constexpr Index block = 128;  // ratings whose features stay in the cache while they are multiplied

Index padded(Index length) {
  constexpr auto padding = static_cast<Index>(simd::column_padding);
  return (length + padding - 1) / padding * padding;
}

}  // namespace

// A column of features: f, the residual, zeros. The last row of their squares is then the linear term.
RowConditional::RowConditional(Index rank, bool biases)
    : rank_(rank),
      biases_(biases),
      features_(Mat::Zero(padded(rank + (biases ? 2 : 1)), block)),
      squares_(features_.rows(), features_.rows()),
      precision_(rank + (biases ? 1 : 0), rank + (biases ? 1 : 0)),
      linear_(precision_.rows()) {
  if (biases) features_.row(rank).setOnes();
}

void RowConditional::add_squares(const ConstRows& others, const RowRatings& ratings) {
  const Index residual = precision_.rows(), count = std::ssize(ratings.other);
  for (Index begin = 0; begin < count; begin += block) {
    const Index size = std::min(block, count - begin);
    for (Index k = 0; k < size; ++k) {
      const auto rating = static_cast<std::size_t>(begin + k);
      const Index other = ratings.other[rating];
      features_.col(k).head(rank_) = others.col(other).head(rank_);
      features_(residual, k) = ratings.value[rating] - (biases_ ? others(rank_, other) : 0);
    }
    simd::add_outer_products(features_.data(), static_cast<std::size_t>(features_.rows()),
                             static_cast<std::size_t>(size), squares_.data());
  }
}

void RowConditional::draw(const RowLaw& law, double tau, const ConstRows& others, const RowRatings& ratings,
                          double temperature, In normals, Out out) {
  const Index w = precision_.rows();
  squares_.setZero();
  add_squares(others, ratings);
  precision_ = tau * squares_.topLeftCorner(w, w);  // the lower triangle counts
  linear_ = tau * squares_.row(w).head(w);
  if (law.diagonal()) {
    precision_.diagonal() += law.precision;
    linear_ += law.precision.cwiseProduct(law.mean);
  } else {
    precision_ += law.precision;
    linear_.noalias() += law.precision * law.mean;
  }
  const Eigen::LLT<Eigen::Ref<Mat>> llt(precision_);  // in place
  llt.matrixL().solveInPlace(linear_);
  if (temperature > 0) linear_ += std::sqrt(temperature) * normals;
  llt.matrixU().solveInPlace(linear_);
  if (llt.info() != Eigen::Success || !linear_.allFinite()) {
    throw Diverged(
        "a row cannot be drawn: its precision given the ratings is not positive definite. Factors or the precisions of "
        "their prior have run away");
  }
  out = linear_;
}

}  // namespace quasar
