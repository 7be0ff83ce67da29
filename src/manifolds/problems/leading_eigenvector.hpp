// The leading eigenvector of A = (1/N) D D': the unit vector z with the least f(z) = -z'Az, a mean of -(d_i'z)^2 over
// the columns of D. The Hessian at the optimum has eigenvalues 2 (lambda_1 - lambda_j): a small gap makes it
// ill-conditioned.
#pragma once

#include <quasar/manifold_problem.hpp>

namespace quasar {

class LeadingEigenvector final : public ManifoldSum {
 public:
  explicit LeadingEigenvector(Mat data);  // one column for each term; DataError where entries are not finite

  const Manifold& manifold() const override { return *manifold_; }
  Index terms() const override { return data_.cols(); }
  double value(MatIn z) override;
  double gradient(MatIn z, MatOut gradient) override;
  void hessian(MatIn z, MatIn u, MatOut out) override;
  void mean_gradient(MatIn z, std::span<const Index> terms, MatOut gradient) override;

  const Mat& data() const { return data_; }
  void times(MatIn z, MatOut out);  // A z

 private:
  Mat data_;
  ManifoldPtr manifold_;
  Vec scores_;  // scratch: d_i'z
  Mat partials_, second_;
};

}  // namespace quasar
