#include "manifolds/tridiagonal_log.hpp"

#include <cblas.h>
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "manifolds/symmetric.hpp"

namespace quasar {
namespace {

constexpr double least_share = 1e-30;  // of the largest eigenvalue, far below rounding
constexpr Index rows_of_block = 8;     // |f| < 1 / least_share, so that products of so many are finite

double gershgorin(const Vec& diagonal, const Vec& beside) {
  double most = 0;
  for (Index i = 0; i < diagonal.size(); ++i) {
    const double before = i > 0 ? std::abs(beside[i - 1]) : 0,
                 after = i + 1 < diagonal.size() ? std::abs(beside[i]) : 0;
    most = std::max(most, std::abs(diagonal[i]) + before + after);
  }
  return most;
}

// Whether all eigenvalues are above x: by Sylvester's law of inertia where all pivots of T - x are positive.
bool is_below_all(const Vec& diagonal, const Vec& beside, double x) {
  double pivot = diagonal[0] - x;
  for (Index i = 1; pivot > 0 && i < diagonal.size(); ++i) {
    pivot = diagonal[i] - x - beside[i - 1] * beside[i - 1] / pivot;
  }
  return pivot > 0;
}

double least_eigenvalue(const Vec& diagonal, const Vec& beside, double size) {
  double low = -size, high = size;
  for (int k = 0; k < 60; ++k) {
    const double middle = 0.5 * (low + high);
    (is_below_all(diagonal, beside, middle) ? low : high) = middle;
  }
  return low;
}

}  // namespace

Range spectrum_range(const Vec& diagonal, const Vec& beside) {
  const double high = gershgorin(diagonal, beside);
  if (!diagonal.allFinite() || !std::isfinite(high)) throw DataError("its squares overflow");
  double low = least_share * high, above = std::min(high, diagonal.minCoeff());
  if (!(low > 0) || !is_below_all(diagonal, beside, 0)) {
    throw not_positive_definite(least_eigenvalue(diagonal, beside, high));
  }
  if (!is_below_all(diagonal, beside, low)) {
    throw DataError(
        fmt::format("its smallest eigenvalue is less than {:g} of the largest, far below rounding", least_share));
  }
  while (above > 1.5 * low) {
    const double middle = std::max(std::sqrt(low) * std::sqrt(above), 0.1 * above);
    (is_below_all(diagonal, beside, middle) ? low : above) = middle;
  }
  return {low, high};
}

void TridiagonalLogarithm::eliminate_upwards(const Vec& diagonal, const Vec& beside) {
  const Index n = diagonal.size();
  pivots_.col(n - 1) = diagonal[n - 1] + quadrature_.shifts();
  for (Index i = n - 1; i > 0; --i) {
    pivots_.col(i - 1) = diagonal[i - 1] + quadrature_.shifts() - beside[i - 1] * beside[i - 1] / pivots_.col(i);
  }
}

// The entries of a row from the first column of its block on.
void TridiagonalLogarithm::add_row(Index i, Index block, const Vec& diagonal, const Vec& beside, Mat& out) {
  if (i > 0) {
    factor_ = -beside[i - 1] / pivots_.col(i);
    pivot_ = diagonal[i] + quadrature_.shifts() - beside[i - 1] * beside[i - 1] / pivot_;
    ratios_.col(i - block) = factor_;
    if (i > block) ratios_.col(i - block) *= ratios_.col(i - block - 1);
  } else {
    pivot_ = diagonal[0] + quadrature_.shifts();
  }
  for (Index j = block; j < i; ++j) {
    terms_.col(j) *= factor_;
    out(i, j) = -terms_.col(j).sum();
  }
  if (i + 1 < diagonal.size()) {
    terms_.col(i) = quadrature_.weights() / (pivot_ - beside[i] * beside[i] / pivots_.col(i + 1));
  } else {
    terms_.col(i) = quadrature_.weights() / pivot_;
  }
  out(i, i) = quadrature_.constant() - terms_.col(i).sum();
}

// The entries of these rows in the columns before the block.
void TridiagonalLogarithm::fill_before(Index block, Index rows, Mat& out) {
  const int shifts = static_cast<int>(terms_.rows()), before = static_cast<int>(block),
            n = static_cast<int>(out.rows());
  if (block == 0) return;
  cblas_dgemm(CblasColMajor, CblasTrans, CblasNoTrans, static_cast<int>(rows), before, shifts, -1, ratios_.data(),
              shifts, terms_.data(), shifts, 0, out.data() + block, n);
  terms_.leftCols(block).colwise() *= ratios_.col(rows - 1);
}

void TridiagonalLogarithm::compute(const Vec& diagonal, const Vec& beside, Mat& out) {
  const Index n = diagonal.size();
  const auto [low, high] = spectrum_range(diagonal, beside);
  quadrature_.fit(low, high);
  const Index shifts = quadrature_.shifts().size();
  terms_.resize(shifts, n);
  pivots_.resize(shifts, n);
  ratios_.resize(shifts, rows_of_block);
  eliminate_upwards(diagonal, beside);
  for (Index block = 0; block < n; block += rows_of_block) {
    const Index rows = std::min(rows_of_block, n - block);
    for (Index i = block; i < block + rows; ++i) add_row(i, block, diagonal, beside, out);
    fill_before(block, rows, out);
  }
}

}  // namespace quasar
