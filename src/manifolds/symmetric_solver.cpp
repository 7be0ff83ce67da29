#include "manifolds/symmetric_solver.hpp"

#include <fmt/core.h>

#include <quasar/errors.hpp>

extern "C" void dsyevd_(const char* job, const char* triangle, const int* n, double* a, const int* stride,
                        double* values, double* work, const int* work_size, int* int_work, const int* int_work_size,
                        int* info);

namespace quasar {

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
  if (vectors_.allFinite()) {
    dsyevd_(want == vectors_too ? "V" : "N", "L", &n, vectors_.data(), &n, values_.data(), work_.data(), &work,
            int_work_.data(), &int_work, &info);
  }
  if (info != 0) {
    throw DataError(fmt::format("no eigenvalues found of a {} x {} matrix: are its entries finite?", n, n));
  }
}

}  // namespace quasar
