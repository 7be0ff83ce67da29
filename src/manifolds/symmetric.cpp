#include "manifolds/symmetric.hpp"

#include <Eigen/Cholesky>
#include <cblas.h>
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include <quasar/errors.hpp>

#include "manifolds/orthonormal.hpp"
#include "manifolds/sizes.hpp"
#include "manifolds/symmetric_solver.hpp"

extern "C" void dpotrf_(const char* triangle, const int* n, double* a, const int* stride, int* info);

namespace quasar {
namespace {

std::pair<double, double> smallest_and_largest(const Mat& x) {
  const Vec values = Eigen::SelfAdjointEigenSolver<Mat>(x, Eigen::EigenvaluesOnly).eigenvalues();
  return {values[0], values[values.size() - 1]};
}

std::string indefinite_fault(double smallest) {
  return fmt::format("it is not positive definite: its smallest eigenvalue is {:.3g}", smallest);
}

// A Cholesky factorization of a singular matrix succeeds or not as its rounding goes. Eigenvalues tell, known to n eps
// of the largest, of the matrix scaled to a diagonal of ones: units of the variables alone make none singular, and no
// other scaling is much better conditioned (van der Sluis, Numerische Mathematik 14, 1969). An estimate of the
// condition spares them as a rule.
std::string singular_fault(MatIn x) {
  const double rounding = static_cast<double>(x.rows()) * std::numeric_limits<double>::epsilon();
  const Vec scale = x.diagonal().cwiseSqrt().cwiseInverse();
  const Mat scaled = scale.asDiagonal() * x * scale.asDiagonal();
  if (const Eigen::LLT<Mat> cholesky(scaled); cholesky.info() == Eigen::Success && cholesky.rcond() > 1e4 * rounding) {
    return {};
  }
  const auto [smallest, largest] = smallest_and_largest(scaled);
  if (smallest > rounding * largest) return {};
  if (smallest < -rounding * largest) return indefinite_fault(std::min(smallest, smallest_and_largest(x).first));
  return "it is singular to rounding: a variable is a combination of the others, as where there are fewer observations "
         "than variables. Add a small multiple of the identity (shrinkage)";
}

}  // namespace

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
  if (x.diagonal().minCoeff() > 0) return singular_fault(x);
  return indefinite_fault(std::min(x.diagonal().minCoeff(), smallest_and_largest(x).first));
}

}  // namespace quasar
