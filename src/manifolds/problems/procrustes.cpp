#include "manifolds/problems/procrustes.hpp"

#include <Eigen/LU>
#include <Eigen/SVD>
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include <quasar/errors.hpp>

namespace quasar {
namespace {

void require_finite(const char* which, MatIn matrix) {
  for (Index i = 0; i < matrix.rows(); ++i) {
    for (Index j = 0; j < matrix.cols(); ++j) {
      if (std::isfinite(matrix(i, j))) continue;
      throw DataError(fmt::format("the {} matrix, row {}, column {}: {} is not a finite number", which, i + 1, j + 1,
                                  matrix(i, j)));
    }
  }
}

}  // namespace

Procrustes::Procrustes(MatIn a, MatIn b) {
  if (a.rows() != b.rows()) {
    throw DataError(
        fmt::format("the first matrix has {} rows and the second {}: each row of the first goes onto one of the "
                    "second",
                    a.rows(), b.rows()));
  }
  if (a.size() == 0 || b.size() == 0) throw DataError("there is nothing to align: a matrix is empty");
  if (b.cols() > a.cols()) {
    throw DataError(fmt::format("{} columns cannot go onto {} by orthonormal columns: there must be as many or fewer",
                                a.cols(), b.cols()));
  }
  require_finite("first", a);
  require_finite("second", b);
  gram_ = a.transpose() * a;
  product_ = a.transpose() * b;
  square_ = b.squaredNorm();
  if (!gram_.allFinite() || !product_.allFinite() || !std::isfinite(square_)) {
    throw DataError("the squares of the matrices overflow: divide both by their size first");
  }
  constexpr double least = 1e-290;  // of a product that has all its digits, and those of smaller entries
  const double largest = a.cwiseAbs().maxCoeff(), onto = b.cwiseAbs().maxCoeff();
  if (largest > 0 && onto > 0 && largest * onto < least) {
    throw DataError("the products of the matrices underflow: multiply both by a large number first");
  }
  manifold_ = stiefel(a.cols(), b.cols());
  partials_ = second_ = product_;
}

double Procrustes::value(MatIn q) {
  second_.noalias() = gram_ * q;
  return q.cwiseProduct(second_ - 2 * product_).sum() + square_;
}

double Procrustes::gradient(MatIn q, MatOut gradient) {
  const double cost = value(q);
  partials_ = 2 * (second_ - product_);
  manifold_->gradient(q, partials_, gradient);
  return cost;
}

void Procrustes::hessian(MatIn q, MatIn u, MatOut out) {
  partials_.noalias() = 2 * gram_ * q;
  partials_ -= 2 * product_;
  second_.noalias() = 2 * gram_ * u;
  manifold_->hessian(q, partials_, second_, u, out);
}

double Procrustes::gradient_size() const {
  const double linear = product_.norm(), square = gram_.norm();
  const double rounding = static_cast<double>(gram_.rows()) * std::numeric_limits<double>::epsilon();
  return 2 * std::max(linear > rounding * square ? linear : square, std::numeric_limits<double>::min());
}

Mat Procrustes::polar_factor(bool rotation) const {
  const Eigen::BDCSVD<Mat> found(product_, Eigen::ComputeThinU | Eigen::ComputeThinV);
  Mat u = found.matrixU();
  if (rotation && (u * found.matrixV().transpose()).determinant() < 0) u.rightCols(1) *= -1;
  return u * found.matrixV().transpose();
}

}  // namespace quasar
