#include "kernels/hmc/friction.hpp"

#include <Eigen/Eigenvalues>

#include <algorithm>
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

Friction::Friction(Index dim, AnyMatrix c) : dim_(dim), c_(std::move(c)), scratch_(dim), velocity_(dim) {}

void Friction::set(const AnyMatrix& c) {
  c_ = c;
  step_ = 0;  // the noise belonged to the old one
}

void Friction::damp(double step, const MassMatrix& mass, Out p) const {
  if (mass.diagonal() && is_scalar(c_)) {
    p.array() *= 1 - step * c_(0, 0) * mass.inverse_diagonal().array();
  } else if (mass.diagonal() && !is_dense(c_)) {
    p.array() *= 1 - step * c_.col(0).array() * mass.inverse_diagonal().array();
  } else {
    mass.solve(p, velocity_);
    p -= step * times_velocity();
  }
}

// C M^-1 p
const Vec& Friction::times_velocity() const {
  if (is_dense(c_)) {
    scratch_.noalias() = c_ * velocity_;
  } else if (is_scalar(c_)) {
    scratch_ = c_(0, 0) * velocity_;
  } else {
    scratch_ = c_.col(0).cwiseProduct(velocity_);
  }
  return scratch_;
}

bool Friction::renew_noise(double step, double temperature, const AnyMatrix& v) {
  if (step == step_ && v_.rows() == v.rows() && v_.cols() == v.cols() && v_ == v) return enough_;
  step_ = step;
  v_ = v;
  enough_ = is_dense(c_) || is_dense(v) ? renew_dense(temperature) : renew_diagonal(temperature);
  return enough_;
}

bool Friction::renew_diagonal(double temperature) {
  spread_.resize(std::max(c_.rows(), v_.rows()), 1);  // one number where both are
  const Index c_stride = is_scalar(c_) ? 0 : 1, v_stride = is_scalar(v_) ? 0 : 1;
  bool enough = true;
  for (Index i = 0; i < spread_.rows(); ++i) {
    const double c = c_(i * c_stride, 0), rest = c - step_ / 2 * v_(i * v_stride, 0);
    spread_(i, 0) = std::sqrt(2 * step_ * temperature * std::max(rest, 0.0));
    enough = enough && rest >= -rounding * c;
  }
  return enough;
}

bool Friction::renew_dense(double temperature) {
  const Mat rest = as_dense(c_, dim_) - step_ / 2 * as_dense(v_, dim_);
  const Eigen::SelfAdjointEigenSolver<Mat> eigen(rest);
  const Vec& values = eigen.eigenvalues();
  spread_ = eigen.eigenvectors() * (2 * step_ * temperature * values.array().max(0)).sqrt().matrix().asDiagonal();
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
