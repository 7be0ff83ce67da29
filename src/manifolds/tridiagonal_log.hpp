// The logarithm of a positive definite tridiagonal matrix T, n x n, without its eigenvectors: a sum of inverses
// G = (T + shift)^-1. Below the diagonal G_ij = f_i G_(i-1)j with f_i = -e_(i-1) / p_i, e the numbers beside the
// diagonal and p the pivots of elimination from the last row on (Meurant, SIAM J. Matrix Analysis 13, 1992): O(n^2) for
// each shift, most of it one product of matrices for a few rows.
#pragma once

#include "manifolds/log_quadrature.hpp"

namespace quasar {

class TridiagonalLogarithm {
 public:
  // out = log T, its lower triangle. DataError: T is not positive definite.
  void compute(const Vec& diagonal, const Vec& beside, Mat& out);

 private:
  using Numbers = Eigen::ArrayXd;   // one for each shift
  using Columns = Eigen::ArrayXXd;  // of such numbers, one for each row of T
  void eliminate_upwards(const Vec& diagonal, const Vec& beside);
  void add_row(Index i, Index block, const Vec& diagonal, const Vec& beside, Mat& out);
  void fill_before(Index block, Index rows, Mat& out);

  LogQuadrature quadrature_;
  Columns terms_;           // weight_k G_ij of the last row i
  Columns pivots_;          // of elimination from the last row on
  Columns ratios_;          // of the rows of a block: products of f
  Numbers pivot_, factor_;  // of elimination from the first row on
};

struct Range {
  double low, high;
};
// Bounds of the eigenvalues, the lower one within a third of the least of them. DataError: T is not positive definite.
Range spectrum_range(const Vec& diagonal, const Vec& beside);

}  // namespace quasar
