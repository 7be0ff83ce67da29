// Eigenvalues and eigenvectors of symmetric matrices of one size, one after another, in memory that is allocated once.
#pragma once

#include <Eigen/Eigenvalues>

#include <vector>

#include <quasar/errors.hpp>
#include <quasar/manifold.hpp>

namespace quasar {

// LAPACK's divide and conquer (dsyevd): the products inside run as fast as BLAS does. The matrix is taken by its lower
// triangle. Small ones are left to Eigen. BLAS should be on one thread: see core/blas_threads.hpp.
class SymmetricSolver {
 public:
  enum Want { values_alone, vectors_too };
  explicit SymmetricSolver(Index n);

  // DataError: entries that are not finite, or no convergence.
  void solve(MatIn symmetric, Want want = vectors_too);
  const Vec& values() const { return values_; }    // ascending
  const Mat& vectors() const { return vectors_; }  // in columns

 private:
  void solve_small(Want want);
  DataError none_found() const;

  Vec values_;
  Mat vectors_;
  std::vector<double> work_;
  std::vector<int> int_work_;
  Eigen::SelfAdjointEigenSolver<Mat> small_;
};

}  // namespace quasar
