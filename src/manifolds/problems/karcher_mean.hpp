// The mean of positive definite matrices W_i: the point with the least mean squared distance f = (1/N) sum dist^2(W,
// W_i) in the affine-invariant metric (Moakher, SIAM J. Matrix Analysis 26, 2005). f is geodesically convex, and grad
// dist^2(W, W_i) = -2 log_W(W_i). Each term costs one symmetric eigenproblem; W is factored once for all.
#pragma once

#include <vector>

#include <quasar/manifold_problem.hpp>

namespace quasar {

class KarcherMean final : public ManifoldSum {
 public:
  explicit KarcherMean(std::vector<Mat> matrices);  // DataError: one is not positive definite, or of another size

  const Manifold& manifold() const override { return *manifold_; }
  Index terms() const override { return std::ssize(matrices_); }
  double value(MatIn x) override;
  double gradient(MatIn x, MatOut gradient) override;
  void mean_gradient(MatIn x, std::span<const Index> terms, MatOut gradient) override;

  const std::vector<Mat>& matrices() const { return matrices_; }

 private:
  std::vector<Mat> matrices_;
  ManifoldPtr manifold_;
};

}  // namespace quasar
