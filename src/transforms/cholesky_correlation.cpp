// Cholesky factors of correlation matrices. Row i is a point of the unit sphere whose length is spent piece by piece:
// with t_j = tanh x_ij and c_j = sech x_ij, so that t_j^2 + c_j^2 = 1,
//
//   L_ij = s_j t_j,  s_{j+1} = s_j c_j,  s_0 = 1,  and L_ii = s_i.
#include <cmath>

#include <quasar/errors.hpp>
#include <quasar/transforms.hpp>

#include "transforms/scalar_functions.hpp"

namespace quasar::transform {

namespace {

Index row_start(Index i) { return i * (i - 1) / 2; }  // where row i begins in x

// dL_ij/dx_ij = s_j c_j^2, so in row i the factor c_j appears twice for itself and once for each later entry left of
// the diagonal.
double power_of_c(Index i, Index j) { return static_cast<double>(2 + (i - 1 - j)); }

}  // namespace

CholeskyCorrelation::CholeskyCorrelation(Index k) : k_(k) {
  if (k < 1) throw UsageError("a correlation matrix needs at least one row");
}

double CholeskyCorrelation::forward(In x, Out y) const {
  double log_jacobian = 0;
  y.setZero();
  for (Index i = 0; i < k_; ++i) {
    double s = 1;
    for (Index j = 0; j < i; ++j) {
      const double xij = x[row_start(i) + j];
      y[i * k_ + j] = s * std::tanh(xij);
      s *= sech(xij);
      log_jacobian += power_of_c(i, j) * log_sech(xij);
    }
    y[i * k_ + i] = s;
  }
  return log_jacobian;
}

// t_j / c_j = sinh x_ij = L_ij / s_{j+1}, and s_{j+1} is the length of what follows entry j in its row.
void CholeskyCorrelation::inverse(In y, Out x) const {
  constexpr double tolerance = 1e-8;
  for (Index i = 0; i < k_; ++i) {
    const auto row = y.segment(i * k_, k_);
    const bool triangular = i == k_ - 1 || row.tail(k_ - 1 - i).isZero(0.0);
    if (!triangular || !(row[i] > 0) || !(std::fabs(row.norm() - 1) <= tolerance)) {
      throw UsageError("a Cholesky factor of a correlation matrix must be lower triangular with unit rows");
    }
    double s = row[i];
    for (Index j = i - 1; j >= 0; --j) {
      x[row_start(i) + j] = std::asinh(row[j] / s);
      s = std::hypot(s, row[j]);
    }
  }
}

// Backwards through the recursion of a row, `downstream` being the derivative with respect to s_{j+1}.
void CholeskyCorrelation::pull_back(In x, In y, In grad_y, Out grad_x) const {
  for (Index i = 1; i < k_; ++i) {
    double s = y[i * k_ + i], downstream = grad_y[i * k_ + i];
    for (Index j = i - 1; j >= 0; --j) {
      const Index at = row_start(i) + j;
      const double t = std::tanh(x[at]), c = sech(x[at]), entry = grad_y[i * k_ + j];
      grad_x[at] += s * (entry * c - downstream * t) - power_of_c(i, j) * t;
      downstream = entry * t + downstream * c;
      s = std::hypot(s, y[i * k_ + j]);
    }
  }
}

}  // namespace quasar::transform
