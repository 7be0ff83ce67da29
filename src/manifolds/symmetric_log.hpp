// Logarithms of symmetric positive definite matrices of one size, one after another, without eigenproblems: A = Q T Q'
// with T tridiagonal (LAPACK's dsytrd), log A = Q log(T) Q'. Where only |log A| is asked for, Q is not needed. Of small
// ones the eigenvectors are as cheap.
#pragma once

#include <Eigen/Eigenvalues>

#include <vector>

#include "manifolds/tridiagonal_log.hpp"

namespace quasar {

// Works on lower triangles. BLAS should be on one thread: see core/blas_threads.hpp.
class SymmetricLogarithm {
 public:
  explicit SymmetricLogarithm(Index n);

  // |log a|^2, the sum of all squared entries; a is overwritten. DataError: a is not positive definite.
  double squared_norm(Mat& a);
  const Mat& matrix(const Mat& a);  // log a, its lower triangle, from what squared_norm has left

 private:
  double squared_norm_of_small(const Mat& a);
  void turn(const Mat& reflectors, Index first, Index count);

  Vec diagonal_, beside_, tau_;
  TridiagonalLogarithm tridiagonal_;
  Mat log_, v_, vt_, product_, inner_, factor_;
  std::vector<double> work_;
  Eigen::SelfAdjointEigenSolver<Mat> small_;
};

}  // namespace quasar
