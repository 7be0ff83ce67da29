// G at one point, factorised: what a Riemannian sampler does with the metric of the place where it is.
#pragma once

#include <Eigen/Cholesky>

#include <quasar/core.hpp>
#include <quasar/rng.hpp>

namespace quasar {

// Diagonal metrics cost O(D) throughout, dense ones O(D^3) to renew and O(D^2) to use. Nothing allocates once sized.
class LocalMetric {
 public:
  explicit LocalMetric(Index dim = 0, bool diagonal = false);

  bool renew(Geometry& geometry, In x);  // G = G(x); false: it is not positive definite or not finite there

  bool diagonal() const { return diagonal_; }
  double log_det() const { return log_det_; }
  const Vec& root_diagonal() const { return root_diagonal_; }  // sqrt(G_ii): one over the natural unit of x_i
  void solve(In p, Out u) const;                               // u = G^-1 p
  void solve_columns(Mat& columns) const;                      // G^-1 M in place; M is D x 1 or D x D as of directional
  void inverse(Mat& out) const;                                // G^-1, shaped as G
  void draw(Stream& noise, Out p) const;                       // N(0, G)

 private:
  bool diagonal_;
  Mat g_;
  Eigen::LLT<Mat> factor_;
  Vec root_diagonal_;
  double log_det_ = 0;
};

}  // namespace quasar
