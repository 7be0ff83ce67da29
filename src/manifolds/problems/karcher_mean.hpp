// The mean of positive definite matrices W_i: the point with the least mean squared distance f = (1/N) sum dist^2(W,
// W_i) in the affine-invariant metric (Moakher, SIAM J. Matrix Analysis 26, 2005). f is geodesically convex, and grad
// dist^2(W, W_i) = -2 log_W(W_i) = -2 L log(L^-1 W_i L^-T) L' with W = L L': the logarithms are summed before they are
// brought back. Each costs about a third of a symmetric eigenproblem; W is factored once for all.
#pragma once

#include <functional>
#include <vector>

#include <quasar/manifold_problem.hpp>

namespace quasar {

class KarcherMean final : public ManifoldSum {
 public:
  // DataError: one is not positive definite, or of another size. Threads share the terms, 0: as many as there are
  // cores; the results have the same bits for any number of them. go_on is asked between two terms by the caller's
  // thread; where it says no, StoppedEarly is thrown.
  explicit KarcherMean(std::vector<Mat> matrices, Index threads = 1, std::function<bool()> go_on = {});
  ~KarcherMean() override;

  const Manifold& manifold() const override { return *manifold_; }
  Index terms() const override { return std::ssize(matrices_); }
  double value(MatIn x) override;
  double gradient(MatIn x, MatOut gradient) override;
  void mean_gradient(MatIn x, std::span<const Index> terms, MatOut gradient) override;

  const std::vector<Mat>& matrices() const { return matrices_; }

 private:
  struct Part;
  struct Worker;
  template <class Term, class Add>
  void sum_over(Index count, const Term& term, const Add& add);
  Mat sum_of_logs() const;
  const Mat& matrix(Index i) const { return matrices_[static_cast<std::size_t>(i)]; }

  std::vector<Mat> matrices_;
  std::function<bool()> go_on_;
  ManifoldPtr manifold_;
  std::vector<Worker> workers_;
  std::vector<Part> parts_;  // of the last sum
};

}  // namespace quasar
