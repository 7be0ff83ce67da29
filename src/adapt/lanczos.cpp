#include "adapt/lanczos.hpp"

#include <Eigen/Eigenvalues>

#include <cmath>

#include <quasar/rng.hpp>

namespace quasar {
namespace {

constexpr int most_halvings = 6;
constexpr double exhausted = 1e-8;  // what is new in a product, relative to it

// (change of grad U along q) / length, in scaled coordinates; length in, halved until U is finite. False: it never is.
bool product(const LocalGradient& gradient, In scale, In q, double length, Vec& offset, Out y) {
  for (int i = 0; i <= most_halvings; ++i, length /= 2) {
    offset = length * scale.cwiseProduct(q);
    if (!gradient.at_offset(offset, y) || !y.allFinite()) continue;
    y = scale.cwiseProduct(y - gradient.here) / length;
    return true;
  }
  return false;
}

// What of w is orthogonal to the columns of basis; done twice, once is not enough in floating point.
void orthogonalize(const Mat& basis, Index columns, Vec& w) {
  const auto q = basis.leftCols(columns);
  for (int pass = 0; pass < 2; ++pass) w -= q * (q.transpose() * w).eval();
}

}  // namespace

CurvaturePairs probe_curvature(const LocalGradient& gradient, In scale, Index probes, const Rng& rng) {
  const Index dim = scale.size();
  probes = std::min(probes, dim);
  Mat q(dim, probes), y(dim, probes);
  Vec next(dim), offset(dim);
  rng.stream("direction").normals(next);
  double curvature = 1;  // of the last direction: it tells how long a standard deviation is
  Index done = 0;
  while (done < probes) {
    q.col(done) = next.normalized();
    const double length = 1 / std::sqrt(std::max(std::abs(curvature), 1e-100));
    if (!product(gradient, scale, q.col(done), length, offset, y.col(done))) break;
    curvature = q.col(done).dot(y.col(done));
    next = y.col(done);
    ++done;
    orthogonalize(q, done, next);
    if (!(next.norm() > exhausted * y.col(done - 1).norm())) break;
  }
  if (done == 0) return {};
  const Mat restricted = q.leftCols(done).transpose() * y.leftCols(done);
  const Eigen::SelfAdjointEigenSolver<Mat> ritz((restricted + restricted.transpose()) / 2);
  if (ritz.info() != Eigen::Success) return {};
  const Mat& vectors = ritz.eigenvectors();
  return {scale.asDiagonal() * (q.leftCols(done) * vectors),
          scale.cwiseInverse().asDiagonal() * (y.leftCols(done) * vectors), ritz.eigenvalues(),
          vectors.row(0).array().square()};
}

}  // namespace quasar
