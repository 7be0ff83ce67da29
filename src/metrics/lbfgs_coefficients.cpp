#include "metrics/lbfgs_coefficients.hpp"

#include <Eigen/Dense>

#include <algorithm>
#include <cmath>

namespace quasar {

LbfgsCoefficients::LbfgsCoefficients(Index memory)
    : sy_(Mat::Zero(memory, memory)),
      yy_(Mat::Zero(memory, memory)),
      ss_(Mat::Zero(memory, memory)),
      factor_(Mat::Zero(memory, memory)) {}

double LbfgsCoefficients::largest() const {
  double found = scale_;
  for (Index i = 0; i < pairs_; ++i) {
    const double length = ss_(i, i) / sy_(i, i);
    found = std::max(found, length * (1 + scale_ * yy_(i, i) / sy_(i, i)));
  }
  return found;
}

void LbfgsCoefficients::set_scale(double scale) {
  scale_ = scale;
  factorize(0);
}

void LbfgsCoefficients::drop_oldest() {
  --pairs_;
  for (Mat* gram : {&sy_, &yy_, &ss_}) {
    for (Index j = 0; j < pairs_; ++j) gram->col(j).head(pairs_) = gram->col(j + 1).segment(1, pairs_);
  }
  factorize(0);
}

void LbfgsCoefficients::add(In s_y, In y_s, In y_y, In s_s) {
  const Index newest = pairs_++;
  sy_.col(newest).head(pairs_) = s_y;
  sy_.row(newest).head(pairs_) = y_s.transpose();
  yy_.col(newest).head(pairs_) = y_y;
  yy_.row(newest).head(pairs_) = y_y.transpose();
  ss_.col(newest).head(pairs_) = s_s;
  ss_.row(newest).head(pairs_) = s_s.transpose();
  factorize(newest);
}

// Row i of the factor of M, up to the scale of its columns, is s_i' B_j s_j for j = 0 .. i with B_j the matrix before
// pair j: the direct recursion B <- B - B s s'B / s'Bs + y y' / y's seen through dot products. The ratio is taken
// first: products of steps that are tiny both would underflow.
void LbfgsCoefficients::factorize(Index first_row) {
  for (Index i = first_row; i < pairs_; ++i) {
    for (Index j = 0; j <= i; ++j) {
      double sum = ss_(i, j) / scale_;
      for (Index k = 0; k < j; ++k) sum += sy_(i, k) / sy_(k, k) * sy_(j, k) - factor_(i, k) * factor_(j, k);
      factor_(i, j) = j < i ? sum / factor_(j, j) : std::sqrt(sum);
    }
  }
}

void LbfgsCoefficients::solve_factored(Out v) const {
  kept(factor_).triangularView<Eigen::Lower>().solveInPlace(v);
  kept(factor_).transpose().triangularView<Eigen::Upper>().solveInPlace(v);
}

// R a = S'g and R'b = D a - Y'H0 (g - Y a): the two loops of the usual recursion as triangular solves.
void LbfgsCoefficients::product(In sg, In yg, Out a, Out b) const {
  a = sg;
  kept(sy_).triangularView<Eigen::Upper>().solveInPlace(a);
  b = scale_ * -yg;
  b.noalias() += scale_ * (kept(yy_) * a);
  b.array() += curvatures() * a.array();
  kept(sy_).transpose().triangularView<Eigen::Lower>().solveInPlace(b);
}

// a = M^-1 F'v, b = D^-1 (Y'v - L'a)
void LbfgsCoefficients::solve(In sv, In yv, Out a, Out b) const {
  b = yv.array() / curvatures();
  a = sv / scale_;
  a.noalias() += kept(sy_).triangularView<Eigen::StrictlyLower>() * b;
  solve_factored(a);
  b = yv;
  b.noalias() -= kept(sy_).transpose().triangularView<Eigen::StrictlyUpper>() * a;
  b.array() /= curvatures();
}

// eta <- eta - s (y'eta) / (s'y) + s zeta / sqrt(s'y), pair after pair: R'c = D^1/2 zeta - Y'H0^1/2 z.
void LbfgsCoefficients::draw(In yz, In zeta, Out c) const {
  c = curvatures().sqrt() * zeta.array() - std::sqrt(scale_) * yz.array();
  kept(sy_).transpose().triangularView<Eigen::Lower>().solveInPlace(c);
}

// eta <- eta - B s (s'eta) / (s'Bs) + y zeta / sqrt(s'y), pair after pair: with b' = D^-1/2 zeta the coefficients are
// a = M^-1 (S'B0^1/2 z + L b') and b = b' - D^-1 L'a.
void LbfgsCoefficients::draw_inverse(In sz, In zeta, Out a, Out b) const {
  b = zeta.array() / curvatures().sqrt();
  a = sz / std::sqrt(scale_);
  a.noalias() += kept(sy_).triangularView<Eigen::StrictlyLower>() * b;
  solve_factored(a);
  b = zeta.array() * curvatures().sqrt();
  b.noalias() -= kept(sy_).transpose().triangularView<Eigen::StrictlyUpper>() * a;
  b.array() /= curvatures();
}

}  // namespace quasar
