#include "models/factorization/wishart_prior.hpp"

#include <Eigen/Cholesky>
#include <cblas.h>

#include <cmath>

#include <quasar/errors.hpp>
#include <quasar/rng.hpp>

#include "models/factorization/log_precisions.hpp"

namespace quasar {

namespace {

// use(i, j, k): element k of the triangle is L_ij.
template <class Use>
void for_triangle(Index width, Use use) {
  for (Index j = 0, k = 0; j < width; ++j) {
    for (Index i = j; i < width; ++i, ++k) use(i, j, k);
  }
}

// The lower triangle of the sum of d d' over columns.
void spread_of(const ConstRows& deviations, Mat& spread) {
  const auto w = static_cast<int>(spread.rows());
  cblas_dsyrk(CblasColMajor, CblasLower, CblasNoTrans, w, static_cast<int>(deviations.cols()), 1, deviations.data(),
              static_cast<int>(deviations.outerStride()), 0, spread.data(), w);
}

// Columns c become a L L'c.
void times_precision(const Mat& root, double a, Eigen::Ref<Mat> columns) {
  const auto w = static_cast<int>(root.rows()), n = static_cast<int>(columns.cols());
  const auto stride = static_cast<int>(columns.outerStride());
  cblas_dtrmm(CblasColMajor, CblasLeft, CblasLower, CblasTrans, CblasNonUnit, w, n, a, root.data(), w, columns.data(),
              stride);
  cblas_dtrmm(CblasColMajor, CblasLeft, CblasLower, CblasNoTrans, CblasNonUnit, w, n, 1, root.data(), w, columns.data(),
              stride);
}

}  // namespace

WishartPrior::WishartPrior(Index width, double strength)
    : width_(width),
      strength_(strength),
      root_(Mat::Zero(width, width)),
      spread_(Mat::Zero(width, width)),
      pulls_(width, width),
      sum_(width) {}

void WishartPrior::take_root(In h, Mat& l) const {
  for_triangle(width_, [&](Index i, Index j, Index k) { l(i, j) = i == j ? std::exp(h[width_ + k]) : h[width_ + k]; });
}

Mat WishartPrior::root(In h) const {
  Mat l = Mat::Zero(width_, width_);
  take_root(h, l);
  return l;
}

void WishartPrior::put_root(const Mat& l, Out h) const {
  for_triangle(width_, [&](Index i, Index j, Index k) { h[width_ + k] = i == j ? std::log(l(i, j)) : l(i, j); });
}

RowLaw WishartPrior::law(In h) const {
  const Mat l = root(h);
  return {h.head(width_), l * l.transpose()};
}

// With D = rows - mu: log density = (w - w - 1) log|L| - |L|^2/2 + sum (w - i + 1) log L_ii         of Lambda
//                                 + log|L| - k |L'mu|^2/2 + n log|L| - |L'D|^2/2                     of mu and rows.
double WishartPrior::evaluate(const ConstRows& rows, In h, Eigen::Ref<Mat> row_slopes, Out h_slopes) {
  const auto mu = h.head(width_);
  const auto n = static_cast<double>(rows.cols());
  take_root(h, root_);
  row_slopes = rows.colwise() - mu;
  spread_of(row_slopes, spread_);
  sum_ = row_slopes.rowwise().sum() - strength_ * mu;
  times_precision(root_, -1, row_slopes);
  spread_.selfadjointView<Eigen::Lower>().rankUpdate(mu, strength_);
  pulls_.noalias() = spread_.selfadjointView<Eigen::Lower>() * root_;  // of rows and mu on L

  double logp = -(root_.squaredNorm() + root_.cwiseProduct(pulls_).sum()) / 2;
  times_precision(root_, 1, sum_);
  h_slopes.head(width_) = sum_;
  for_triangle(width_, [&](Index i, Index j, Index k) {
    double& slope = h_slopes[width_ + k];
    slope = -root_(i, j) - pulls_(i, j);
    if (i != j) return;
    const double power = n + static_cast<double>(width_ - i + 1);
    slope = slope * root_(i, i) + power;
    logp += power * h[width_ + k];
  });
  return logp;
}

Mat WishartPrior::inverse_scale(const ConstRows& rows, const Vec& mean) {
  const auto n = static_cast<double>(rows.cols());
  spread_of(rows.colwise() - mean, spread_);
  spread_.diagonal().array() += 1;
  spread_.selfadjointView<Eigen::Lower>().rankUpdate(mean, strength_ * n / (strength_ + n));
  return spread_.selfadjointView<Eigen::Lower>();
}

// Bartlett: Lambda = M A A'M' is Wishart(M M', degrees) where A is lower triangular with chi of degrees - i on its
// diagonal and normals below. M is lower triangular, and so M A is the root, where M^-T is upper: the Cholesky factor
// of the inverse scale with its rows and columns in reverse order.
Mat WishartPrior::draw_root(const Mat& inverse_scale, double degrees, Stream& stream) const {
  const Eigen::LLT<Mat> reversed(inverse_scale.reverse());
  if (reversed.info() != Eigen::Success) expect_believable(std::nan(""), {});
  const Mat upper = Mat(reversed.matrixL()).reverse();
  Mat a = Mat::Zero(width_, width_);
  for_triangle(width_, [&](Index i, Index j, Index) {
    a(i, j) = i == j ? std::sqrt(2 * stream.gamma((degrees - static_cast<double>(i)) / 2)) : stream.normal();
  });
  return upper.transpose().triangularView<Eigen::Lower>().solve(a);
}

void WishartPrior::draw(const ConstRows& rows, In, Out out, Stream& stream) {
  const auto n = static_cast<double>(rows.cols());
  const Vec mean = rows.rowwise().mean();
  const Mat l = draw_root(inverse_scale(rows, mean), static_cast<double>(width_) + n, stream);
  // Under its prior the precision of a single column, 1/(Lambda^-1)_kk, is chi^2 with one degree of freedom.
  const Mat inverse_root = l.triangularView<Eigen::Lower>().solve(Mat::Identity(width_, width_));
  for (Index k = 0; k < width_; ++k) expect_believable(-std::log(inverse_root.col(k).squaredNorm()), {0.5, 0.5});
  Vec z(width_);
  stream.normals(z);
  out.head(width_) =
      n / (strength_ + n) * mean + l.transpose().triangularView<Eigen::Upper>().solve(z) / std::sqrt(strength_ + n);
  put_root(l, out);
}

void WishartPrior::start(Out h) const {
  h.setZero();
  put_root(std::sqrt(static_cast<double>(width_)) * Mat::Identity(width_, width_), h);
}

std::vector<Variable> WishartPrior::variables(const std::string& side) const {
  return {{side + "_mean", {width_}, {"factor_or_bias"}},
          {side + "_precision", {width_, width_}, {"factor_or_bias", "factor_or_bias_2"}}};
}

void WishartPrior::constrain(In h, Out values) const {
  const Mat l = root(h);
  values.head(width_) = h.head(width_);
  Eigen::Map<Mat>(values.data() + width_, width_, width_).noalias() = l * l.transpose();
}

void WishartPrior::unconstrain(In values, Out h) const {
  const Eigen::LLT<Mat> llt(Eigen::Map<const Mat>(values.data() + width_, width_, width_));
  if (llt.info() != Eigen::Success) throw UsageError("bpmf: a precision must be a positive definite matrix");
  h.head(width_) = values.head(width_);
  put_root(llt.matrixL(), h);
}

}  // namespace quasar
