#include "targets/covariance.hpp"

#include <Eigen/QR>

#include <cmath>
#include <utility>

#include <quasar/rng.hpp>

namespace quasar {

DiagonalCovariance::DiagonalCovariance(Vec variances)
    : variances_(std::move(variances)), precisions_(variances_.cwiseInverse()), deviations_(variances_.cwiseSqrt()) {}

void DiagonalCovariance::solve(In x, Out out) const { out = precisions_.cwiseProduct(x); }

void DiagonalCovariance::root(In z, Out x) const { x = deviations_.cwiseProduct(z); }

RotatedCovariance::RotatedCovariance(const Mat& basis, In eigenvalues)
    : root_(basis * eigenvalues.cwiseSqrt().asDiagonal()) {
  const Mat inverse_root = basis * eigenvalues.cwiseSqrt().cwiseInverse().asDiagonal();
  precision_.noalias() = inverse_root * inverse_root.transpose();
}

void RotatedCovariance::solve(In x, Out out) const { out.noalias() = precision_ * x; }

void RotatedCovariance::root(In z, Out x) const { x.noalias() = root_ * z; }

Vec RotatedCovariance::variances() const { return root_.rowwise().squaredNorm(); }

ExchangeableCovariance::ExchangeableCovariance(Index dim, double own, double shared)
    : dim_(dim), own_(own), shared_(shared) {}

void ExchangeableCovariance::solve(In x, Out out) const {
  const double common = shared_ * x.sum() / (own_ + shared_ * static_cast<double>(dim_));
  out = (1 / own_) * (x.array() - common);
}

// The mean direction has its own eigenvalue; everything orthogonal to it has eigenvalue own.
void ExchangeableCovariance::root(In z, Out x) const {
  const double mean = z.mean();
  const double largest = own_ + shared_ * static_cast<double>(dim_);
  x = std::sqrt(own_) * (z.array() - mean) + std::sqrt(largest) * mean;
}

Vec ExchangeableCovariance::variances() const { return Vec::Constant(dim_, own_ + shared_); }

Vec log_uniform_spectrum(Index dim, double condition) {
  Vec eigenvalues = Vec::Ones(dim);
  for (Index i = 1; i < dim; ++i) {
    eigenvalues[i] = std::pow(condition, -static_cast<double>(i) / static_cast<double>(dim - 1));
  }
  return eigenvalues;
}

// Q of the QR decomposition of a Gaussian matrix is Haar distributed once the signs of R's diagonal are absorbed
// (Mezzadri, Notices of the AMS 54, 2007).
Mat random_basis(Index dim, std::uint64_t seed) {
  Mat gaussian(dim, dim);
  Stream normals = Rng(seed).stream("basis");
  for (Index j = 0; j < dim; ++j) normals.normals(gaussian.col(j));
  const Eigen::HouseholderQR<Mat> qr(gaussian);
  const Vec signs = qr.matrixQR().diagonal().unaryExpr([](double r) { return std::copysign(1.0, r); });
  return Mat(qr.householderQ()) * signs.asDiagonal();
}

}  // namespace quasar
