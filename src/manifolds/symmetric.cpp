#include "manifolds/symmetric.hpp"

#include <cblas.h>
#include <fmt/core.h>

#include <cmath>

#include <quasar/errors.hpp>

#include "manifolds/orthonormal.hpp"
#include "manifolds/sizes.hpp"
#include "manifolds/symmetric_solver.hpp"

namespace quasar {

Spectrum spectrum(MatIn symmetric) {
  SymmetricSolver solver(symmetric.rows());
  solver.solve(symmetric);
  return {solver.values(), solver.vectors()};
}

Spectrum positive_spectrum(MatIn symmetric) {
  Spectrum found = spectrum(symmetric);
  if (!(found.values[0] > 0)) {
    throw DataError(fmt::format("not positive definite: its smallest eigenvalue is {:.3g}", found.values[0]));
  }
  return found;
}

CholeskyRoot::CholeskyRoot(MatIn x) : cholesky_(x) {
  // A NaN passes Eigen's test of the pivots.
  if (cholesky_.info() != Eigen::Success || !cholesky_.matrixLLT().diagonal().allFinite()) {
    throw DataError(fmt::format("not positive definite: the Cholesky factorization of a {} x {} matrix failed",
                                x.rows(), x.cols()));
  }
}

void CholeskyRoot::whiten_in_place(Mat& u) const {
  const Mat& root = cholesky_.matrixLLT();
  const int n = static_cast<int>(u.rows());
  cblas_dtrsm(CblasColMajor, CblasLeft, CblasLower, CblasNoTrans, CblasNonUnit, n, n, 1, root.data(), n, u.data(), n);
  cblas_dtrsm(CblasColMajor, CblasRight, CblasLower, CblasTrans, CblasNonUnit, n, n, 1, root.data(), n, u.data(), n);
}

Mat CholeskyRoot::whiten(MatIn u) const {
  Mat half = u;
  cholesky_.matrixL().solveInPlace(half);
  half.transposeInPlace();  // u L^-T
  cholesky_.matrixL().solveInPlace(half);
  return symmetric_part(half);
}

Mat CholeskyRoot::color(MatIn s) const {
  const Mat half = cholesky_.matrixL() * s;
  return symmetric_part(half * cholesky_.matrixU());
}

Mat CholeskyRoot::carry(const CholeskyRoot& from, MatIn u) const { return color(from.whiten(u)); }

void fill_with_symmetric_normals(Stream& stream, MatOut out) {
  const double root_half = std::sqrt(0.5);  // entries beside the diagonal count twice in tr(u^2)
  for (Index j = 0; j < out.cols(); ++j) {
    out(j, j) = stream.normal();
    for (Index i = j + 1; i < out.rows(); ++i) out(i, j) = out(j, i) = root_half * stream.normal();
  }
}

void random_positive_definite(Stream& stream, MatOut out) {
  const Index n = out.rows();
  Spectrum drawn{Vec(n), Mat(n, n)};
  stream.uniforms(drawn.values);
  drawn.values = (2 * drawn.values.array() - 1).exp();
  random_orthonormal(stream, drawn.vectors);
  out = drawn.map([](double value) { return value; });
}

std::string positive_definite_fault(MatIn x) {
  const double asymmetry = (x - x.transpose()).cwiseAbs().maxCoeff();
  if (asymmetry > 1e-8 * x.cwiseAbs().maxCoeff()) {
    return fmt::format("it is not symmetric: entries across the diagonal differ by {:.3g}", asymmetry);
  }
  if (const Eigen::LLT<Mat> cholesky(x); cholesky.info() == Eigen::Success) return {};
  const double smallest = Eigen::SelfAdjointEigenSolver<Mat>(x, Eigen::EigenvaluesOnly).eigenvalues()[0];
  return fmt::format("it is not positive definite: its smallest eigenvalue is {:.3g}", smallest);
}

}  // namespace quasar
