#include "integrators/softabs_geometry.hpp"

#include <cmath>
#include <limits>

namespace quasar {

namespace {

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
      values_(dim),
      workspace_(dim),
      basis_(dim, dim),
      vectors_(dim, dim) {}

// The iteration takes entries of order one for granted: without the scale it can stall at equal eigenvalues far from 1.
bool SpectralDecomposition::compute(const Mat& symmetric) {
  const double largest = symmetric.cwiseAbs().maxCoeff(), scale = largest > 0 ? largest : 1;
  first_.compute(symmetric / scale);
  diagonal_ = first_.diagonal();
  below_ = first_.subDiagonal();
  second_.computeFromTridiagonal(diagonal_, below_);
  values_ = scale * second_.eigenvalues();
  first_.matrixQ().evalTo(basis_, workspace_);
  vectors_.noalias() = basis_ * second_.eigenvectors();
  return second_.info() == Eigen::Success;
}

SoftAbsGeometry::SoftAbsGeometry(Target& target, double hardness)
    : differences_(target.hessian() == nullptr ? std::make_unique<DifferenceHessian>(target) : nullptr),
      derivatives_(differences_ == nullptr ? target.hessian() : differences_.get()),
      hardness_(hardness),
      at_(Vec::Constant(target.dim(), std::numeric_limits<double>::quiet_NaN())),
      hessian_(target.dim(), target.dim()),
      divided_(target.dim(), target.dim()),
      eigen_(target.dim()),
      values_(target.dim()),
      rotated_u_(target.dim()),
      direction_(target.dim()),
      derivative_(target.dim()),
      weights_(target.dim(), target.dim()),
      product_(target.dim(), target.dim()),
      rotated_(target.dim(), target.dim()) {}

std::int64_t SoftAbsGeometry::grad_evals() const { return differences_ == nullptr ? 0 : differences_->grad_evals(); }

bool SoftAbsGeometry::decompose(In x) {
  at_ = x;
  derivatives_->second_derivatives(x, hessian_);
  if (!hessian_.allFinite() || !eigen_.compute(hessian_)) return false;
  const Vec& l = eigen_.values();
  for (Index i = 0; i < l.size(); ++i) values_[i] = soft_abs(l[i], hardness_);
  for (Index i = 0; i < l.size(); ++i) {
    for (Index j = 0; j < l.size(); ++j) {
      const double gap = l[i] - l[j];
      divided_(i, j) = std::abs(gap) * hardness_ < 1e-5 ? soft_abs_slope(0.5 * (l[i] + l[j]), hardness_)
                                                        : (values_[i] - values_[j]) / gap;
    }
  }
  return true;
}

void SoftAbsGeometry::move_to(In x) {
  if (at_ != x) decompose(x);
}

bool SoftAbsGeometry::metric(In x, Mat& g) {
  if (!decompose(x)) return false;
  const Mat& q = eigen_.vectors();
  product_.noalias() = q * values_.asDiagonal();
  g.noalias() = product_ * q.transpose();
  return true;
}

// Entry a of Q' (dG/dx_i) u is q_a' (dH/dx_i) r with r = Q [J_a o Q'u]: one contraction for each a serves all i, and
// D rotations of matrices, D^4 operations, are saved.
void SoftAbsGeometry::directional(In x, In u, Mat& out) {
  move_to(x);
  const Mat& q = eigen_.vectors();
  rotated_u_.noalias() = q.transpose() * u;
  for (Index a = 0; a < x.size(); ++a) {
    derivative_ = divided_.col(a).cwiseProduct(rotated_u_);
    direction_.noalias() = q * derivative_;
    product_.noalias() = 0.5 * direction_ * q.col(a).transpose();
    weights_ = product_ + product_.transpose();
    derivatives_->third_derivatives(x, weights_, derivative_);
    rotated_.row(a) = derivative_;
  }
  out.noalias() = q * rotated_;
}

// tr(a dG) = tr(b dH) with b = Q [J o (Q' a Q)] Q'.
void SoftAbsGeometry::contract(In x, const Mat& a, Out out) {
  move_to(x);
  const Mat& q = eigen_.vectors();
  rotated_.noalias() = a * q;
  product_.noalias() = q.transpose() * rotated_;
  product_.array() *= divided_.array();
  rotated_.noalias() = q * product_;
  weights_.noalias() = rotated_ * q.transpose();
  derivatives_->third_derivatives(x, weights_, out);
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
