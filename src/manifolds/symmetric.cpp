#include "manifolds/symmetric.hpp"

#include <Eigen/Cholesky>
#include <cblas.h>
#include <fmt/core.h>

#include <cmath>

#include <quasar/errors.hpp>

#include "manifolds/orthonormal.hpp"
#include "manifolds/sizes.hpp"
#include "manifolds/symmetric_solver.hpp"

extern "C" void dpotrf_(const char* triangle, const int* n, double* a, const int* stride, int* info);

namespace quasar {

Spectrum spectrum(MatIn symmetric) {
  SymmetricSolver solver(symmetric.rows());
  solver.solve(symmetric);
  return {solver.values(), solver.vectors()};
}

Spectrum positive_spectrum(MatIn symmetric) {
  Spectrum found = spectrum(symmetric);
  if (!(found.values[0] > 0)) throw not_positive_definite(found.values[0]);
  return found;
}

DataError not_positive_definite(double smallest_eigenvalue) {
  return DataError(fmt::format("not positive definite: its smallest eigenvalue is {:.3g}", smallest_eigenvalue));
}

CholeskyRoot::CholeskyRoot(MatIn x) : root_(x) {
  const int n = static_cast<int>(x.rows());
  int info = 0;
  dpotrf_("L", &n, root_.data(), &n, &info);
  // A NaN passes the test of the pivots.
  if (info != 0 || !root_.diagonal().allFinite()) {
    throw DataError(fmt::format("not positive definite: the Cholesky factorization of a {} x {} matrix failed",
                                x.rows(), x.cols()));
  }
}

void CholeskyRoot::whiten_in_place(Mat& u) const {
  const int n = static_cast<int>(u.rows());
  cblas_dtrsm(CblasColMajor, CblasLeft, CblasLower, CblasNoTrans, CblasNonUnit, n, n, 1, root_.data(), n, u.data(), n);
  cblas_dtrsm(CblasColMajor, CblasRight, CblasLower, CblasTrans, CblasNonUnit, n, n, 1, root_.data(), n, u.data(), n);
}

Mat CholeskyRoot::whiten(MatIn u) const {
  Mat white = u;
  whiten_in_place(white);
  return symmetric_part(white);
}

Mat CholeskyRoot::color(MatIn s) const {
  Mat u = s;
  const int n = static_cast<int>(u.rows());
  cblas_dtrmm(CblasColMajor, CblasLeft, CblasLower, CblasNoTrans, CblasNonUnit, n, n, 1, root_.data(), n, u.data(), n);
  cblas_dtrmm(CblasColMajor, CblasRight, CblasLower, CblasTrans, CblasNonUnit, n, n, 1, root_.data(), n, u.data(), n);
  return symmetric_part(u);
}

Mat CholeskyRoot::inverse_times(MatIn u) const {
  Mat solved = u;
  const int n = static_cast<int>(u.rows()), columns = static_cast<int>(u.cols());
  for (const auto transposed : {CblasNoTrans, CblasTrans}) {
    cblas_dtrsm(CblasColMajor, CblasLeft, CblasLower, transposed, CblasNonUnit, n, columns, 1, root_.data(), n,
                solved.data(), n);
  }
  return solved;
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
