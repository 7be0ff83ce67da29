// Uphill in W and H given Phi, by expectation and minorization, with no step size.
//
// Given x, source c has E |x_c|^2 / 2 = v_c r_c in each of real and imaginary part, with g = v_c / v and
//
//   r_c = 1 + g (|x|^2 / (2 v) - 1).
//
// What is expected of the log density, -sum p log L + r (L_now / L)^p with p = 2/alpha, is bounded from below where log
// L is put under its tangent and the convex L^-p under Jensen's inequality; the top of the bound is
//
//   H <- H [W' (r / L) / W' (1 / L)]^(1 / (1 + p)),
//
// and W alike (Fevotte and Idier, Neural Computation 23, 2011, for p = 1). So no such move makes the density given Phi
// smaller. Priors are left out: this is where samplers begin.
#include <cblas.h>

#include <algorithm>
#include <cmath>

#include "core/blas_threads.hpp"
#include "core/place.hpp"
#include "models/alpha/alpha_mixture.hpp"

namespace quasar {

namespace {

constexpr double least_factor = 1e-6, least_positive = 1e-12;  // of one move, and of what is left

void multiply(CBLAS_TRANSPOSE turned, Index rows, Index columns, Index inner, const double* left, const double* right,
              double added_to, double* out) {
  const auto n = [](Index i) { return static_cast<int>(i); };
  cblas_dgemm(CblasColMajor, CblasNoTrans, turned, n(rows), n(columns), n(inner), 1, left, n(rows), right,
              n(turned == CblasTrans ? columns : inner), added_to, out, n(rows));
}

}  // namespace

void AlphaMixture::move_up(std::size_t c, Index begin, const Mat& raising, const Mat& lowering, Out x) const {
  const double root = 1 / (1 + source(c).power());
  for (Index k = 0; k < raising.size(); ++k) {
    const double ratio = raising.data()[k] / lowering.data()[k];
    const double factor = std::pow(std::clamp(std::isfinite(ratio) ? ratio : 1, least_factor, 1 / least_factor), root);
    double& here = x[begin + k];
    if (settings().log_coordinates) {
      here = std::max(here + std::log(factor), std::log(least_positive));
    } else {
      here = std::max(here * factor, least_positive);
    }
  }
}

// In place of dispersions: r / L and, in `lowering`, 1 / L. What was not seen says nothing.
void AlphaMixture::ask_for_more(std::size_t c, Index first, Index size, const Vec& total, Vec& lowering) {
  double* dispersion = room_.dispersion[c].data();
  const double *part = room_.part[c].data(), *square = data_->squares.data() + first;
  for (Index e = 0; e < size; ++e) {
    const double g = part[e] / total[e], r = 1 + g * (square[e] / (2 * total[e]) - 1);
    lowering[e] = square[e] < 0 ? 0 : 1 / std::max(dispersion[e], least_dispersion);
    dispersion[e] = r * lowering[e];
  }
}

void AlphaMixture::climb(Factor which, Out x) {
  const SingleThreadedBlas single;
  const double* theta = positive(x);
  std::vector<Mat> raised(count()), lowered(count());
  Mat raising, lowering;
  Vec& total = room_.total;
  Vec& less = room_.slope;
  const Index together = columns_together();
  for (Index column = 0; column < columns(); column += together) {
    const Index width = std::min(together, columns() - column), size = rows() * width;
    total.head(size).setZero();
    for (std::size_t c = 0; c < count(); ++c) {
      disperse(c, theta, column, width);
      vary(c, x, column, width);
      total.head(size) += room_.part[c].head(size);
    }
    for (std::size_t c = 0; c < count(); ++c) {
      if (which == Factor::w && source(c).fixed()) continue;
      const Index rank = source(c).rank;
      const Factors of = factors(c, theta, nullptr);
      ask_for_more(c, column * rows(), size, total, less);
      const double* more = room_.dispersion[c].data();
      if (which == Factor::h) {
        raising.resize(rank, width), lowering.resize(rank, width);
        multiply(CblasNoTrans, rank, width, rows(), of.w, more, 0, raising.data());
        multiply(CblasNoTrans, rank, width, rows(), of.w, less.data(), 0, lowering.data());
        move_up(c, data_->places[c].h + column * rank, raising, lowering, x);
      } else {
        if (column == 0) raised[c] = lowered[c] = Mat::Zero(rank, rows());
        multiply(CblasTrans, rank, rows(), width, of.h + column * rank, more, 1, raised[c].data());
        multiply(CblasTrans, rank, rows(), width, of.h + column * rank, less.data(), 1, lowered[c].data());
      }
    }
  }
  for (std::size_t c = 0; c < count(); ++c) {
    if (raised[c].size() > 0) move_up(c, data_->places[c].w, raised[c], lowered[c], x);
  }
}

}  // namespace quasar
