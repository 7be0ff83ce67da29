// The Fisher metric of logistic regression: G = X'WX + P with P the diagonal of prior precisions, W = diag(q(1 - q)), q
// = P(y = 1). It does not depend on the responses, so it is the Hessian of -log p as well, and positive definite
// everywhere.
#pragma once

#include <memory>

#include <quasar/core.hpp>

#include "models/regression/design_blocks.hpp"

namespace quasar {

// dG/dx_i = X' diag(c x_.i) X with c = q(1 - q)(1 - 2q). Each function is one pass over the data: N D^2 operations.
class LogisticGeometry final : public Geometry, public Hessian {
 public:
  // Prior standard deviations: of the intercept, and of the coefficients.
  LogisticGeometry(std::shared_ptr<const Design> design, double intercept_sd, double prior_sd);

  bool diagonal() const override { return false; }
  bool metric(In x, Mat& g) override;
  void directional(In x, In u, Mat& out) override;
  void contract(In x, const Mat& a, Out out) override;
  void divergence(In x, Out out) override;
  void second_derivatives(In x, Mat& h) override { metric(x, h); }
  void third_derivatives(In x, const Mat& b, Out out) override { contract(x, b, out); }

 private:
  using Rows = DesignBlocks::Rows;
  template <class Use>
  void each_block(In x, Use&& use);           // use(rows, q): the probabilities of these rows
  void add_gram(const Rows& rows, Mat& sum);  // sum += X' diag(weight_) X

  DesignBlocks blocks_;
  Vec prior_precisions_;
  Vec q_, weight_;           // of one block
  Design::Matrix weighted_;  // rows of one block
  Mat metric_, inverse_;     // of divergence
};

}  // namespace quasar
