#include "integrators/softabs_geometry.hpp"

#include <cmath>
#include <limits>

#include "integrators/potential.hpp"

namespace quasar {

namespace {

// Second differences of gradients lose eps/h^2 to rounding and h^2 to curvature: h = eps^(1/4) balances them.
constexpr double step = 1.220703125e-4;  // 2^-13, so that x + h and x - h are as far apart as they look

double soft_abs(double l, double hardness) {
  const double z = hardness * l;
  return std::abs(z) < 1e-4 ? (1 + z * z / 3) / hardness : l / std::tanh(z);
}

double soft_abs_slope(double l, double hardness) {
  const double z = hardness * l;
  if (std::abs(z) < 1e-4) return 2 * z / 3;
  if (std::abs(z) > 350) return z > 0 ? 1 : -1;  // sinh would overflow
  const double sinh = std::sinh(z);
  return 1 / std::tanh(z) - z / (sinh * sinh);
}

}  // namespace

SpectralDecomposition::SpectralDecomposition(Index dim)
    : first_(dim),
      second_(dim),
      diagonal_(dim),
      below_(dim - 1),
      workspace_(dim),
      basis_(dim, dim),
      vectors_(dim, dim) {}

void SpectralDecomposition::compute(const Mat& symmetric) {
  first_.compute(symmetric);
  diagonal_ = first_.diagonal();
  below_ = first_.subDiagonal();
  second_.computeFromTridiagonal(diagonal_, below_);
  first_.matrixQ().evalTo(basis_, workspace_);
  vectors_.noalias() = basis_ * second_.eigenvectors();
}

SoftAbsGeometry::SoftAbsGeometry(Target& target, double hardness)
    : target_(&target),
      hardness_(hardness),
      at_(Vec::Constant(target.dim(), std::numeric_limits<double>::quiet_NaN())),
      hessian_(target.dim(), target.dim()),
      divided_(target.dim(), target.dim()),
      third_(target.dim() * target.dim(), target.dim()),
      eigen_(target.dim()),
      values_(target.dim()),
      shifted_(target.dim()),
      plus_(target.dim()),
      minus_(target.dim()),
      sums_(target.dim(), target.dim()),
      product_(target.dim(), target.dim()),
      rotated_(target.dim(), target.dim()) {}

void SoftAbsGeometry::gradient(Out out) {
  if (inside(target_->support(), shifted_)) ++grad_evals_;
  if (!std::isfinite(potential(*target_, shifted_, out))) out.setConstant(std::numeric_limits<double>::quiet_NaN());
}

void SoftAbsGeometry::add_differences(Index from, double weight) {
  for (Index j = from; j < shifted_.size(); ++j) {
    const double centre = shifted_[j];
    shifted_[j] = centre + step;
    gradient(plus_);
    shifted_[j] = centre - step;
    gradient(minus_);
    shifted_[j] = centre;
    sums_.col(j) += weight / (2 * step) * (plus_ - minus_);
  }
}

void SoftAbsGeometry::decompose(In x) {
  at_ = x;
  differentiated_ = false;
  shifted_ = x;
  sums_.setZero();
  add_differences(0, 1);
  hessian_ = 0.5 * (sums_ + sums_.transpose());
  if (!hessian_.allFinite()) return;
  eigen_.compute(hessian_);
  const Vec& l = eigen_.values();
  for (Index i = 0; i < l.size(); ++i) values_[i] = soft_abs(l[i], hardness_);
  for (Index i = 0; i < l.size(); ++i) {
    for (Index j = 0; j < l.size(); ++j) {
      const double gap = l[i] - l[j];
      divided_(i, j) = std::abs(gap) * hardness_ < 1e-5 ? soft_abs_slope(0.5 * (l[i] + l[j]), hardness_)
                                                        : (values_[i] - values_[j]) / gap;
    }
  }
}

void SoftAbsGeometry::move_to(In x) {
  if (at_ != x) decompose(x);
}

// Third derivatives have three indices in any order, so columns j >= i of dH/dx_i are enough.
void SoftAbsGeometry::differentiate() {
  if (differentiated_) return;
  differentiated_ = true;
  const Index dim = at_.size();
  for (Index i = 0; i < dim; ++i) {
    sums_.setZero();
    for (const double sign : {1.0, -1.0}) {
      shifted_ = at_;
      shifted_[i] += sign * step;
      add_differences(i, sign / (2 * step));
    }
    for (Index j = i; j < dim; ++j) {
      third_.col(i).segment(j * dim, dim) = sums_.col(j);
      third_.col(j).segment(i * dim, dim) = sums_.col(j);
    }
  }
  for (Index i = 0; i < dim; ++i) {
    Eigen::Map<Mat> by_i(third_.col(i).data(), dim, dim);
    product_ = 0.5 * (by_i + by_i.transpose());
    by_i = product_;
  }
}

void SoftAbsGeometry::spectral_product(const Mat& m, Mat& out) {
  const Mat& q = eigen_.vectors();
  rotated_.noalias() = m * q;
  product_.noalias() = q.transpose() * rotated_;
  product_.array() *= divided_.array();
  rotated_.noalias() = q * product_;
  out.noalias() = rotated_ * q.transpose();
}

bool SoftAbsGeometry::metric(In x, Mat& g) {
  decompose(x);
  if (!hessian_.allFinite()) return false;
  const Mat& q = eigen_.vectors();
  product_.noalias() = q * values_.asDiagonal();
  g.noalias() = product_ * q.transpose();
  return true;
}

void SoftAbsGeometry::directional(In x, In u, Mat& out) {
  move_to(x);
  differentiate();
  const Index dim = x.size();
  out.resize(dim, dim);
  for (Index i = 0; i < dim; ++i) {
    sums_ = Eigen::Map<const Mat>(third_.col(i).data(), dim, dim);
    spectral_product(sums_, sums_);
    out.col(i).noalias() = sums_ * u;
  }
}

// tr(a dG) = tr(b dH) with b = Q [J o (Q' a Q)] Q'.
void SoftAbsGeometry::contract(In x, const Mat& a, Out out) {
  move_to(x);
  differentiate();
  spectral_product(a, sums_);
  out.noalias() = third_.transpose() * Eigen::Map<const Vec>(sums_.data(), sums_.size());
}

// d(G^-1) = -G^-1 dG G^-1, column j of it for the coordinate j.
void SoftAbsGeometry::divergence(In x, Out out) {
  move_to(x);
  const Mat& q = eigen_.vectors();
  const Mat inverse = q * values_.cwiseInverse().asDiagonal() * q.transpose();
  Mat columns;
  out.setZero();
  for (Index j = 0; j < x.size(); ++j) {
    directional(x, inverse.col(j), columns);
    out -= inverse * columns.col(j);
  }
}

}  // namespace quasar
