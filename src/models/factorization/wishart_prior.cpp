#include "models/factorization/wishart_prior.hpp"

#include <Eigen/Cholesky>

#include <cmath>

#include <quasar/errors.hpp>
#include <quasar/rng.hpp>

#include "models/factorization/log_precisions.hpp"

namespace quasar {

namespace {

// place(i, j, k): element k of the triangle is L_ij.
template <class Use>
void for_triangle(Index width, Use use) {
  for (Index j = 0, k = 0; j < width; ++j) {
    for (Index i = j; i < width; ++i, ++k) use(i, j, k);
  }
}

}  // namespace

WishartPrior::WishartPrior(Index width, double strength) : width_(width), strength_(strength) {}

Mat WishartPrior::root(In h) const {
  Mat l = Mat::Zero(width_, width_);
  for_triangle(width_, [&](Index i, Index j, Index k) { l(i, j) = i == j ? std::exp(h[width_ + k]) : h[width_ + k]; });
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
  const Mat l = root(h);
  const Vec mu = h.head(width_), z = l.transpose() * mu;
  const auto n = static_cast<double>(rows.cols());
  row_slopes = rows.colwise() - mu;
  const Mat spread = row_slopes * row_slopes.transpose();
  const Vec sum = row_slopes.rowwise().sum();
  const Mat precision = l * l.transpose(), spread_l = spread * l;
  row_slopes = -precision * row_slopes;

  double logp = -(l.squaredNorm() + strength_ * z.squaredNorm() + l.cwiseProduct(spread_l).sum()) / 2;
  h_slopes.head(width_) = precision * (sum - strength_ * mu);
  for_triangle(width_, [&](Index i, Index j, Index k) {
    double& slope = h_slopes[width_ + k];
    slope = -l(i, j) - strength_ * mu[i] * z[j] - spread_l(i, j);
    if (i != j) return;
    const double power = n + static_cast<double>(width_ - i + 1);
    slope = slope * l(i, i) + power;
    logp += power * h[width_ + k];
  });
  return logp;
}

Mat WishartPrior::inverse_scale(const ConstRows& rows, const Vec& mean) const {
  const auto n = static_cast<double>(rows.cols());
  const Mat deviations = rows.colwise() - mean;
  return Mat::Identity(width_, width_) + deviations * deviations.transpose() +
         strength_ * n / (strength_ + n) * mean * mean.transpose();
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
  const auto n = static_cast<double>(rows.cols()), w = static_cast<double>(width_);
  const Vec mean = rows.rowwise().mean();
  const Mat l = draw_root(inverse_scale(rows, mean), w + n, stream);
  for (Index k = 0; k < width_; ++k) {  // the prior of Lambda_kk is chi^2 with w degrees
    expect_believable(2 * std::log(l.row(k).norm()), {w / 2, 0.5});
  }
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
  return {{side + "_mean", {width_}, {"column"}}, {side + "_precision", {width_, width_}, {"column", "column_2"}}};
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
