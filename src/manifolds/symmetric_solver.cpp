#include "manifolds/symmetric_solver.hpp"

#include <fmt/core.h>

#include <quasar/errors.hpp>

extern "C" void dsyevd_(const char* job, const char* triangle, const int* n, double* a, const int* stride,
                        double* values, double* work, const int* work_size, int* int_work, const int* int_work_size,
                        int* info);

namespace quasar {
namespace {

constexpr Index smallest_for_lapack = 32;  // below, the calls cost more than they save

}  // namespace

// The sizes of the workspaces are those of dsyevd's documentation for eigenvectors.
SymmetricSolver::SymmetricSolver(Index n)
    : values_(n),
      vectors_(n, n),
      work_(static_cast<std::size_t>(1 + 6 * n + 2 * n * n)),
      int_work_(static_cast<std::size_t>(3 + 5 * n)) {}

void SymmetricSolver::solve(MatIn symmetric, Want want) {
  const int n = static_cast<int>(symmetric.rows()), work = static_cast<int>(work_.size()),
            int_work = static_cast<int>(int_work_.size());
  int info = -1;
  vectors_ = symmetric;
  if (n < smallest_for_lapack) return solve_small(want);
  if (vectors_.allFinite()) {
    dsyevd_(want == vectors_too ? "V" : "N", "L", &n, vectors_.data(), &n, values_.data(), work_.data(), &work,
            int_work_.data(), &int_work, &info);
  }
  if (info != 0) throw none_found();
}

void SymmetricSolver::solve_small(Want want) {
  small_.compute(vectors_, want == vectors_too ? Eigen::ComputeEigenvectors : Eigen::EigenvaluesOnly);
  if (small_.info() != Eigen::Success || !small_.eigenvalues().allFinite()) throw none_found();
  values_ = small_.eigenvalues();
  if (want == vectors_too) vectors_ = small_.eigenvectors();
}

DataError SymmetricSolver::none_found() const {
  return DataError(fmt::format("no eigenvalues found of a {} x {} matrix: are its entries finite?", vectors_.rows(),
                               vectors_.cols()));
}

}  // namespace quasar
