#include "manifolds/symmetric_log.hpp"

#include <cblas.h>

#include <algorithm>

#include <quasar/errors.hpp>

#include "manifolds/symmetric.hpp"

extern "C" {
void dsytrd_(const char* triangle, const int* n, double* a, const int* stride, double* diagonal, double* beside,
             double* tau, double* work, const int* work_size, int* info);
void dlarft_(const char* direct, const char* stored, const int* n, const int* k, double* v, const int* stride,
             const double* tau, double* t, const int* t_stride);
}

namespace quasar {
namespace {

constexpr Index reflectors_together = 16;
constexpr Index smallest_to_reduce = 12;  // below, the calls cost more than they save

int blas_size(Index n) { return static_cast<int>(n); }

}  // namespace

SymmetricLogarithm::SymmetricLogarithm(Index n)
    : diagonal_(n),
      beside_(std::max<Index>(n - 1, 1)),
      tau_(std::max<Index>(n - 1, 1)),
      log_(n, n),
      v_(n, reflectors_together),
      vt_(n, reflectors_together),
      product_(n, reflectors_together),
      inner_(reflectors_together, n),
      factor_(reflectors_together, reflectors_together),
      work_(static_cast<std::size_t>(n * reflectors_together)) {}

double SymmetricLogarithm::squared_norm(Mat& a) {
  if (!a.allFinite()) throw DataError("no logarithm of a matrix with entries that are not finite");
  if (a.rows() < smallest_to_reduce) return squared_norm_of_small(a);
  const int n = blas_size(a.rows()), work = blas_size(std::ssize(work_));
  int info = 0;
  dsytrd_("L", &n, a.data(), &n, diagonal_.data(), beside_.data(), tau_.data(), work_.data(), &work, &info);
  tridiagonal_.compute(diagonal_, beside_, log_);
  double above = 0;
  for (Index j = 0; j < log_.cols(); ++j) above += log_.col(j).tail(log_.rows() - 1 - j).squaredNorm();
  return log_.diagonal().squaredNorm() + 2 * above;
}

double SymmetricLogarithm::squared_norm_of_small(const Mat& a) {
  small_.compute(a);
  if (!(small_.eigenvalues()[0] > 0)) throw not_positive_definite(small_.eigenvalues()[0]);
  diagonal_ = small_.eigenvalues().array().log();
  return diagonal_.squaredNorm();
}

const Mat& SymmetricLogarithm::matrix(const Mat& a) {
  if (a.rows() < smallest_to_reduce) {
    log_.noalias() = small_.eigenvectors() * diagonal_.asDiagonal() * small_.eigenvectors().transpose();
    return log_;
  }
  const Index all = a.rows() - 1;
  for (Index first = (all - 1) / reflectors_together * reflectors_together; first >= 0; first -= reflectors_together) {
    turn(a, first, std::min(reflectors_together, all - first));
  }
  return log_;
}

// log <- H log H' with H = I - V F V', the product of these reflectors. They leave alone what is above row first + 1:
// L, left of that, becomes H L, and S, below and right, S - V Z' - Z V' with Z = P - V (F V'P) / 2 and P = S V F'.
void SymmetricLogarithm::turn(const Mat& reflectors, Index first, Index count) {
  const Index n = log_.rows(), top = first + 1, rows = n - top;
  const int m = blas_size(rows), k = blas_size(count), stride = blas_size(n), most = blas_size(reflectors_together);
  const int left = blas_size(top);
  v_.topLeftCorner(rows, count) = reflectors.block(top, first, rows, count).triangularView<Eigen::UnitLower>();
  dlarft_("F", "C", &m, &k, v_.data(), &stride, tau_.data() + first, factor_.data(), &most);
  factor_.triangularView<Eigen::StrictlyLower>().setZero();
  cblas_dgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, m, k, k, 1, v_.data(), stride, factor_.data(), most, 0,
              vt_.data(), stride);

  double *l = log_.data() + top, *s = l + top * n;
  cblas_dgemm(CblasColMajor, CblasTrans, CblasNoTrans, k, left, m, 1, v_.data(), stride, l, stride, 0, inner_.data(),
              most);
  cblas_dgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, m, left, k, -1, vt_.data(), stride, inner_.data(), most, 1, l,
              stride);

  // P = S V F' is S times the transposed form of V F: F' is lower triangular.
  cblas_dgemm(CblasColMajor, CblasNoTrans, CblasTrans, m, k, k, 1, v_.data(), stride, factor_.data(), most, 0,
              vt_.data(), stride);
  cblas_dsymm(CblasColMajor, CblasLeft, CblasLower, m, k, 1, s, stride, vt_.data(), stride, 0, product_.data(), stride);
  cblas_dgemm(CblasColMajor, CblasTrans, CblasNoTrans, k, k, m, 0.5, vt_.data(), stride, product_.data(), stride, 0,
              inner_.data(), most);
  cblas_dgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, m, k, k, -1, v_.data(), stride, inner_.data(), most, 1,
              product_.data(), stride);
  cblas_dsyr2k(CblasColMajor, CblasLower, CblasNoTrans, m, k, -1, v_.data(), stride, product_.data(), stride, 1, s,
               stride);
}

}  // namespace quasar
