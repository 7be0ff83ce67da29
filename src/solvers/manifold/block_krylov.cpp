#include "solvers/manifold/block_krylov.hpp"

#include <Eigen/Eigenvalues>
#include <Eigen/QR>

#include <algorithm>
#include <limits>
#include <utility>

namespace quasar {
namespace {

constexpr Index most_blocks = 20;  // of the basis before a restart

// The part of `block` outside of the orthonormal basis, as orthonormal columns; fewer where it has less rank.
Mat new_directions(const Mat& basis, Mat block) {
  const double size = block.norm();
  for (int twice = 0; twice < 2; ++twice) block -= basis * (basis.transpose() * block);
  Eigen::ColPivHouseholderQR<Mat> qr(block);
  constexpr double rounding = 1e-14;
  Index rank = 0;
  while (rank < std::min(block.rows(), block.cols()) && std::abs(qr.matrixQR()(rank, rank)) > rounding * size) ++rank;
  Mat q = qr.householderQ() * Mat::Identity(block.rows(), rank);
  q -= basis * (basis.transpose() * q);
  return Eigen::HouseholderQR<Mat>(q).householderQ() * Mat::Identity(block.rows(), rank);
}

Mat beside(const Mat& left, const Mat& right) {
  Mat both(left.rows(), left.cols() + right.cols());
  both << left, right;
  return both;
}

class KrylovSpace {
 public:
  explicit KrylovSpace(const BlockProduct& times) : times_(&times) {}
  bool grow(Mat block) {  // false: stopped
    Mat product(block.rows(), block.cols());
    if (!(*times_)(block, product)) return false;
    next_ = product;
    basis_ = basis_.size() == 0 ? std::move(block) : beside(basis_, block);
    products_ = products_.size() == 0 ? std::move(product) : beside(products_, product);
    return true;
  }
  Mat next_block() const { return new_directions(basis_, next_); }
  void cut_back(Index columns) {  // to the best vectors
    const LeadingEigenpairs best = ritz(columns);
    const Mat weights = basis_.transpose() * best.vectors;
    products_ = products_ * weights;
    basis_ = best.vectors;
  }
  LeadingEigenpairs ritz(Index components) const { return rayleigh_ritz(basis_, products_, components); }
  Index columns() const { return basis_.cols(); }

 private:
  const BlockProduct* times_;
  Mat basis_, products_, next_;  // Q, A Q, and A times the last block
};

}  // namespace

LeadingEigenpairs rayleigh_ritz(MatIn x, MatIn products, Index components) {
  const Mat inner = x.transpose() * products;
  const Eigen::SelfAdjointEigenSolver<Mat> found(0.5 * (inner + inner.transpose()));
  const Mat weights = found.eigenvectors().rightCols(components).rowwise().reverse();
  LeadingEigenpairs pairs{found.eigenvalues().tail(components).reverse(), x * weights, {}, ManifoldStop::converged};
  pairs.progress.value = -pairs.values.sum();
  const Mat residuals = products * weights - pairs.vectors * pairs.values.asDiagonal();
  pairs.residuals = residuals.colwise().norm();
  return pairs;
}

double residual_bound(double value, double largest, double tolerance) {
  constexpr double rounding = 100 * std::numeric_limits<double>::epsilon();
  return std::max({tolerance * value, rounding * largest, std::numeric_limits<double>::min()});
}

double relative_residual(const LeadingEigenpairs& pairs, double tolerance) {
  double longest = 0;
  for (Index j = 0; j < pairs.values.size(); ++j) {
    longest = std::max(longest, pairs.residuals[j] / residual_bound(pairs.values[j], pairs.values[0], tolerance));
  }
  return tolerance * longest;
}

LeadingEigenpairs block_krylov(const BlockProduct& times, Index dim, const BlockKrylov& settings, Stream& stream) {
  const Index block = std::min(dim, settings.components + settings.oversampling);
  Mat start(dim, block);
  for (Index j = 0; j < block; ++j) stream.normals(start.col(j));
  KrylovSpace space(times);
  Progress progress{.steps = 0, .passes = 1};
  if (!space.grow(new_directions(Mat(dim, 0), std::move(start)))) return {{}, {}, {}, ManifoldStop::interrupted};
  for (;;) {
    LeadingEigenpairs found = space.ritz(settings.components);
    found.progress.steps = progress.steps;
    found.progress.passes = progress.passes;
    found.progress.gradient_norm = relative_residual(found, settings.tolerance);
    if (!(found.progress.gradient_norm > settings.tolerance)) return found;
    found.stop = ManifoldStop::iteration_limit;
    if (progress.steps >= settings.max_iterations || progress.passes >= settings.max_passes) return found;
    found.stop = ManifoldStop::interrupted;
    if (settings.go_on && !settings.go_on(found.progress)) return found;
    Mat next = space.next_block();
    found.stop = ManifoldStop::no_decrease;  // the space is A's own up to rounding, and the residual not yet as small
    if (next.cols() == 0) return found;
    if (space.columns() + next.cols() > most_blocks * block) space.cut_back(2 * block);
    found.stop = ManifoldStop::interrupted;
    if (!space.grow(std::move(next))) return found;
    ++progress.steps;
    ++progress.passes;
  }
}

}  // namespace quasar
