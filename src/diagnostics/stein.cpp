// Kernel Stein discrepancy: all pairs of points, a block of pairs at a time as matrix products.
#include <algorithm>
#include <cmath>
#include <stdexcept>

#include <quasar/diagnostics.hpp>

#include "diagnostics/chains.hpp"

namespace quasar {
namespace {

constexpr Index block_size = 128;

// In units of the scales, with u = x - y and q = 1 + |u|^2,
//
//   k0(x, y) = s(x)'s(y) q^-1/2 + (s(x) - s(y))'u q^-3/2 + D q^-3/2 - 3 |u|^2 q^-5/2.
//
// |u|^2 and (s(x) - s(y))'u come from inner products of points and scores; the points are centred first, which changes
// no difference and keeps the digits of those far from the origin.
class SteinKernel {
 public:
  SteinKernel(const Eigen::Ref<const Mat>& points, const Eigen::Ref<const Mat>& scores, const Vec& scales)
      : x_(scales.cwiseInverse().asDiagonal() * (points.colwise() - points.rowwise().mean())),
        s_(scales.asDiagonal() * scores),
        x_squared_(x_.colwise().squaredNorm()),
        x_times_s_(x_.cwiseProduct(s_).colwise().sum()) {}

  Vec diagonal() const { return s_.colwise().squaredNorm().transpose().array() + dim(); }

  const Mat& operator()(const Block& rows, const Block& columns) {
    const auto x = x_.middleCols(rows.begin, rows.size), y = x_.middleCols(columns.begin, columns.size);
    const auto sx = s_.middleCols(rows.begin, rows.size), sy = s_.middleCols(columns.begin, columns.size);
    squared_.noalias() = -2 * x.transpose() * y;
    add_to_pairs(x_squared_, rows, columns, squared_);
    slopes_.noalias() = -sx.transpose() * y;
    slopes_.noalias() -= x.transpose() * sy;
    add_to_pairs(x_times_s_, rows, columns, slopes_);
    kernel_.noalias() = sx.transpose() * sy;

    auto squared = squared_.array();
    squared = squared.max(0);  // equal points may round below
    inverse_ = (1 + squared).inverse();
    auto k = kernel_.array();
    k = inverse_.sqrt() * (k + inverse_ * (slopes_.array() + dim() - 3 * squared * inverse_));
    return kernel_;
  }

 private:
  double dim() const { return static_cast<double>(x_.rows()); }
  static void add_to_pairs(const Eigen::RowVectorXd& each, const Block& rows, const Block& columns, Mat& pairs) {
    pairs.colwise() += each.segment(rows.begin, rows.size).transpose();
    pairs.rowwise() += each.segment(columns.begin, columns.size);
  }

  Mat x_, s_;
  Eigen::RowVectorXd x_squared_, x_times_s_;
  Mat squared_, slopes_, kernel_;  // of one block of pairs
  Eigen::ArrayXXd inverse_;
};

struct PairSums {     // over pairs of different points
  Vec of_point;       // sum_j w_j k0(i, j)
  double of_squares;  // sum_ij w_i w_j k0(i, j)^2
};

PairSums sum_pairs(SteinKernel& kernel, const Vec& weights) {
  const Index n = weights.size();
  PairSums sums{Vec::Zero(n), 0};
  const auto block_at = [n](Index begin) { return Block{begin, std::min(block_size, n - begin)}; };
  const auto part = [](const Block& block, auto& of) { return of.segment(block.begin, block.size); };
  Mat pairs;
  for (Index i = 0; i < n; i += block_size) {
    const Block rows = block_at(i);
    pairs = kernel(rows, rows);
    pairs.diagonal().setZero();
    part(rows, sums.of_point) += pairs * part(rows, weights);
    sums.of_squares += part(rows, weights).dot(pairs.cwiseAbs2() * part(rows, weights));
    for (Index j = i + block_size; j < n; j += block_size) {
      const Block columns = block_at(j);
      const Mat& k = kernel(rows, columns);
      part(rows, sums.of_point) += k * part(columns, weights);
      part(columns, sums.of_point) += k.transpose() * part(rows, weights);
      sums.of_squares += 2 * part(rows, weights).dot(k.cwiseAbs2() * part(columns, weights));
    }
  }
  return sums;
}

// Hoeffding's decomposition k0 - E k0 = g(x) + g(y) + h(x, y) gives the variance of a weighted U-statistic,
//
//   [4 sum_i w_i^2 (1 - w_i)^2 Var g + 2 sum_{i != j} w_i^2 w_j^2 Var h] / (1 - sum_i w_i^2)^2.
//
// Var k0 = 2 Var g + Var h. The means of single points vary by what both add: for n equal weights p their mean square
// around the U-statistic has expectation (1 - 2p)/(1 - p) [(1 - 2p) Var g + p Var h].
double standard_error(const PairSums& sums, const Vec& weights, double u_statistic) {
  const Vec squared = weights.cwiseAbs2();
  const double p = squared.sum(), pairs = 1 - p;
  const bool as_good_as_four_points = !(p < 0.25);
  if (as_good_as_four_points || std::isnan(u_statistic)) return diagnostics::kUndefined;
  const double of_kernel = sums.of_squares / pairs - u_statistic * u_statistic;
  const Eigen::ArrayXd means = sums.of_point.array() / (1 - weights.array());
  const double of_means = weights.dot((means - u_statistic).square().matrix());
  const double var_g = std::max(0.0, (of_means * (1 - p) / (1 - 2 * p) - p * of_kernel) / (1 - 4 * p));
  const double var_h = std::max(0.0, of_kernel - 2 * var_g);
  const double linear = 4 * squared.dot((1 - weights.array()).square().matrix()) * var_g;
  const double interaction = 2 * (p * p - squared.squaredNorm()) * var_h;
  return std::sqrt(linear + interaction) / pairs;
}

Vec normalized(const Vec& weights, Index n) {
  if (weights.size() == 0) return Vec::Constant(n, 1 / static_cast<double>(n));
  const double sum = weights.sum();
  if (weights.size() != n || !(weights.array() >= 0).all() || !(sum > 0) || !std::isfinite(sum)) {
    throw std::invalid_argument("kernel Stein discrepancy: one weight per point, none negative, not all zero");
  }
  return weights / sum;
}

Vec checked_scales(const Vec& scales, Index dim) {
  if (scales.size() == 0) return Vec::Ones(dim);
  if (scales.size() != dim || !(scales.array() > 0).all() || !scales.allFinite()) {
    throw std::invalid_argument("kernel Stein discrepancy: one positive scale per coordinate");
  }
  return scales;
}

}  // namespace

SteinDiscrepancy kernel_stein_discrepancy(const Eigen::Ref<const Mat>& points, const Eigen::Ref<const Mat>& scores,
                                          const SteinOptions& options) {
  if (points.size() == 0 || points.rows() != scores.rows() || points.cols() != scores.cols()) {
    throw std::invalid_argument("kernel Stein discrepancy: one score per point, and at least one point");
  }
  const Vec weights = normalized(options.weights, points.cols());
  SteinKernel kernel(points, scores, checked_scales(options.scales, points.rows()));
  const PairSums sums = sum_pairs(kernel, weights);
  const double different = weights.dot(sums.of_point), same = weights.cwiseAbs2().dot(kernel.diagonal());
  const double u_statistic = different / (1 - weights.squaredNorm());
  return {std::sqrt(different + same), u_statistic, standard_error(sums, weights, u_statistic)};
}

}  // namespace quasar
