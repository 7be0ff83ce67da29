// Problems on manifolds with known answers.
#pragma once

#include <Eigen/QR>

#include <cmath>
#include <span>
#include <utility>
#include <vector>

#include <quasar/manifolds.hpp>

#include "manifolds/problems/karcher_mean.hpp"
#include "manifolds/problems/leading_eigenvector.hpp"

namespace quasar::test {

// Eigenvalues log-uniform between 1 and the condition number, both ends taken, in random directions.
inline Mat random_spd(Index n, double condition, Stream& stream) {
  Vec values(n);
  stream.uniforms(values);
  values = (std::log(condition) * values.array()).exp();
  values[0] = 1;
  values[n - 1] = condition;
  const Mat q = rotations(n)->random_point(stream);
  const Mat x = q * values.asDiagonal() * q.transpose();
  return 0.5 * (x + x.transpose());
}

inline std::vector<Mat> random_spds(Index n, Index count, double condition, const Rng& rng) {
  Stream stream = rng.stream("matrices");
  std::vector<Mat> all;
  for (Index i = 0; i < count; ++i) all.push_back(random_spd(n, condition, stream));
  return all;
}

// Data with the eigenvalues 1, 1 - g, 1 - 1.1 g, ..., 1 - 1.4 g, then |N(0, 1)| / d of A = D D' / N.
struct EigenData {
  Mat data, vectors;  // the leading eigenvector is the first
  Vec values;

  EigenData(Index d, Index terms, double gap, const Rng& rng) : vectors(d, d), values(d) {
    Stream stream = rng.stream("data");
    stream.normals(values);
    values = values.cwiseAbs() / static_cast<double>(d);
    values.head(6) << 1, 1 - gap, 1 - 1.1 * gap, 1 - 1.2 * gap, 1 - 1.3 * gap, 1 - 1.4 * gap;
    stiefel(d, d)->random_point(stream, vectors);
    const Mat v = stiefel(terms, d)->random_point(stream);
    data = vectors * (static_cast<double>(terms) * values).cwiseSqrt().asDiagonal() * v.transpose();
  }
  // 1 - z'Az, without cancellation.
  double error(MatIn z) const {
    const Vec parts = vectors.transpose() * z.col(0);
    return ((1 - values.array()) * parts.array().square()).sum();
  }
  Mat start(double largest_error, const Rng& rng) const {  // by power iterations
    Stream stream = rng.stream("start");
    Mat z = sphere(vectors.rows())->random_point(stream);
    while (error(z) > largest_error) {
      z = vectors * values.asDiagonal() * vectors.transpose() * z;
      z /= z.norm();
    }
    return z;
  }
};

// By steps of 0.4 of the gradient from the arithmetic mean, which converge linearly whatever the condition number.
struct Karcher {
  Mat mean;
  int iterations = 0;  // until the relative gradient is below 1e-13
};
inline Karcher karcher_by_fixed_steps(KarcherMean& problem) {
  const Manifold& m = problem.manifold();
  Karcher found{problem.matrices().front()};
  for (std::size_t i = 1; i < problem.matrices().size(); ++i) found.mean += problem.matrices()[i];
  found.mean /= static_cast<double>(problem.terms());
  Mat gradient = found.mean;
  problem.gradient(found.mean, gradient);
  const double first = m.norm(found.mean, gradient);
  for (int polish = 0; polish < 3 && found.iterations < 200;) {
    found.mean = m.exp(found.mean, -0.4 * gradient);
    problem.gradient(found.mean, gradient);
    m.norm(found.mean, gradient) > 1e-13 * first ? ++found.iterations : ++polish;
  }
  return found;
}

// x'Cx / 2 on a flat space. Of one term, so that its batches have no noise.
class QuadraticCost final : public ManifoldSum {
 public:
  explicit QuadraticCost(Vec curvature) : curvature_(std::move(curvature)), space_(euclidean(curvature_.size())) {}
  const Manifold& manifold() const override { return *space_; }
  Index terms() const override { return 1; }
  double value(MatIn x) override { return 0.5 * x.col(0).dot(curvature_.cwiseProduct(x.col(0))); }
  double gradient(MatIn x, MatOut out) override {
    out = curvature_.cwiseProduct(x.col(0));
    return value(x);
  }
  void mean_gradient(MatIn x, std::span<const Index>, MatOut out) override { gradient(x, out); }

 private:
  Vec curvature_;
  ManifoldPtr space_;
};

}  // namespace quasar::test
