#include "models/factorization/row_conditional.hpp"

#include <Eigen/Cholesky>
#include <cblas.h>

#include <algorithm>
#include <cmath>

#include <quasar/errors.hpp>

namespace quasar {

namespace {

constexpr Index block = 256;  // ratings whose features stay in the cache while they are multiplied

// c += a f f', the lower triangle
void add_squares(const Mat& features, Index count, double a, Mat& c) {
  const auto w = static_cast<int>(c.rows());
  cblas_dsyrk(CblasColMajor, CblasLower, CblasNoTrans, w, static_cast<int>(count), a, features.data(), w, 1, c.data(),
              w);
}

}  // namespace

RowConditional::RowConditional(Index rank, bool biases)
    : rank_(rank),
      biases_(biases),
      features_(Mat::Ones(rank + (biases ? 1 : 0), block)),  // of biases they stay 1
      precision_(features_.rows(), features_.rows()),
      residuals_(block),
      linear_(features_.rows()) {}

void RowConditional::draw(const RowLaw& law, double tau, const ConstRows& others, const RowRatings& ratings,
                          double temperature, In normals, Out out) {
  precision_.setZero();
  if (law.diagonal()) {
    precision_.diagonal() = law.precision;
    linear_ = law.precision.cwiseProduct(law.mean);
  } else {
    precision_ = law.precision;
    linear_.noalias() = law.precision * law.mean;
  }
  const Index count = std::ssize(ratings.other);
  for (Index begin = 0; begin < count; begin += block) {
    const Index size = std::min(block, count - begin);
    for (Index k = 0; k < size; ++k) {
      const auto rating = static_cast<std::size_t>(begin + k);
      const Index other = ratings.other[rating];
      features_.col(k).head(rank_) = others.col(other).head(rank_);
      residuals_[k] = ratings.value[rating] - (biases_ ? others(rank_, other) : 0);
    }
    add_squares(features_, size, tau, precision_);
    linear_.noalias() += tau * (features_.leftCols(size) * residuals_.head(size));
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
