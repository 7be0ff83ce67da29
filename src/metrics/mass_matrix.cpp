#include "metrics/mass_matrix.hpp"

#include <stdexcept>

namespace quasar {

MassMatrix::MassMatrix(Index dim, bool diagonal)
    : diagonal_(diagonal),
      g_(diagonal ? Mat(Mat::Ones(dim, 1)) : Mat(Mat::Identity(dim, dim))),
      factor_(Mat::Identity(diagonal ? 0 : dim, diagonal ? 0 : dim)),
      root_diagonal_(Vec::Ones(dim)),
      inverse_diagonal_(Vec::Ones(diagonal ? dim : 0)) {}

bool MassMatrix::set(const Mat& g) {
  g_ = g;
  return factorise();
}

bool MassMatrix::renew(Geometry& geometry, In x) { return geometry.metric(x, g_) && factorise(); }

bool MassMatrix::factorise() {
  if (!g_.allFinite()) return false;
  if (diagonal_) {
    if (!(g_.minCoeff() > 0)) return false;
    root_diagonal_ = g_.col(0).cwiseSqrt();
    inverse_diagonal_ = g_.col(0).cwiseInverse();
    log_det_ = g_.array().log().sum();
    return true;
  }
  factor_.compute(g_);
  if (factor_.info() != Eigen::Success) return false;
  root_diagonal_ = g_.diagonal().cwiseSqrt();
  log_det_ = 2 * factor_.matrixLLT().diagonal().array().log().sum();
  return true;
}

void MassMatrix::multiply(In u, Out p) const {
  if (diagonal_) {
    p = u.cwiseProduct(g_.col(0));
  } else {
    p.noalias() = g_ * u;
  }
}

void MassMatrix::solve(In p, Out u) const {
  if (diagonal_) {
    u = p.cwiseQuotient(g_.col(0));
  } else {
    u = p;
    factor_.solveInPlace(u);
  }
}

void MassMatrix::solve_columns(Mat& columns) const {
  if (diagonal_) {
    columns.array().colwise() /= g_.col(0).array();
  } else {
    factor_.solveInPlace(columns);
  }
}

void MassMatrix::inverse(Mat& out) const {
  if (diagonal_) {
    out = g_.cwiseInverse();
  } else {
    out.setIdentity(g_.rows(), g_.cols());
    factor_.solveInPlace(out);
  }
}

// L z in place, G = LL': entry i needs z_0..z_i only, so going down from the last overwrites nothing still needed.
void MassMatrix::draw(Stream& noise, Out p) const {
  noise.normals(p);
  if (diagonal_) {
    p.array() *= root_diagonal_.array();
    return;
  }
  const Mat& lower = factor_.matrixLLT();
  for (Index i = p.size() - 1; i >= 0; --i) p[i] = lower.row(i).head(i + 1).dot(p.head(i + 1));
}

MassMatrix diagonal_mass(In diagonal) {
  MassMatrix mass(diagonal.size(), true);
  if (!mass.set(diagonal)) throw std::invalid_argument("a mass that is not positive");
  return mass;
}

}  // namespace quasar
