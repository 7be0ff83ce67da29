#include "kernels/hmc/friction.hpp"

#include <Eigen/Eigenvalues>

#include <cmath>

namespace quasar {

namespace {

bool is_scalar(const AnyMatrix& m) { return m.size() == 1; }
bool is_dense(const AnyMatrix& m) { return m.cols() > 1; }

Vec as_diagonal(const AnyMatrix& m, Index dim) { return is_scalar(m) ? Vec::Constant(dim, m(0, 0)) : Vec(m.col(0)); }

Mat as_dense(const AnyMatrix& m, Index dim) { return is_dense(m) ? m : Mat(as_diagonal(m, dim).asDiagonal()); }

// Rounding may leave what should be 0 a little below: that much is taken for 0.
constexpr double rounding = 1e-12;

}  // namespace

Friction::Friction(Index dim, AnyMatrix c) : dim_(dim), c_(std::move(c)), scratch_(dim) {}

double Friction::least() const { return is_dense(c_) ? c_.diagonal().minCoeff() : c_.minCoeff(); }

void Friction::damp(double step, Out r) const {
  if (is_scalar(c_)) {
    r *= 1 - step * c_(0, 0);
  } else if (!is_dense(c_)) {
    r.array() *= 1 - step * c_.col(0).array();
  } else {
    scratch_.noalias() = c_ * r;
    r -= step * scratch_;
  }
}

bool Friction::renew_noise(double step, double temperature, const AnyMatrix& v) {
  const double b = step / 2;
  if (is_scalar(c_) && is_scalar(v)) {
    const double rest = c_(0, 0) - b * v(0, 0);
    spread_(0, 0) = std::sqrt(2 * step * temperature * std::max(rest, 0.0));
    return rest >= -rounding * c_(0, 0);
  }
  if (step == step_ && v_.rows() == v.rows() && v_.cols() == v.cols() && v_ == v) return true;
  step_ = step;
  v_ = v;
  if (!is_dense(c_) && !is_dense(v)) {
    const Vec c = as_diagonal(c_, dim_);
    const Vec rest = c - b * as_diagonal(v, dim_);
    spread_ = (2 * step * temperature * rest.array().max(0)).sqrt();
    return (rest.array() >= -rounding * c.array()).all();
  }
  const Mat rest = as_dense(c_, dim_) - b * as_dense(v, dim_);
  const Eigen::SelfAdjointEigenSolver<Mat> eigen(rest);
  const Vec values = eigen.eigenvalues();
  spread_ = eigen.eigenvectors() * (2 * step * temperature * values.array().max(0)).sqrt().matrix().asDiagonal();
  return values.minCoeff() >= -rounding * values.cwiseAbs().maxCoeff();
}

void Friction::draw(Stream& normals, Out out) const {
  if (is_dense(spread_)) {
    normals.normals(scratch_);
    out.noalias() = spread_ * scratch_;
    return;
  }
  normals.normals(out);
  if (is_scalar(spread_)) {
    out *= spread_(0, 0);
  } else {
    out.array() *= spread_.col(0).array();
  }
}

}  // namespace quasar
