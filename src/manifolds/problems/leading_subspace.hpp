// The subspace of the k leading eigenvectors of A = (1/N) sum d_i d_i': the one whose orthonormal basis X has the least
// f(X) = -tr(X'AX), a mean of -|X'd_i|^2. On grassmann(d, k), for XQ has the same cost (Absil, Mahony and Sepulchre
// 2008, section 2.1). A X takes one pass over the data: of each block B of terms, A X += B (B'X).
#pragma once

#include <memory>

#include <quasar/manifold_problem.hpp>

#include "manifolds/problems/term_blocks.hpp"

namespace quasar {

class LeadingSubspace final : public ManifoldSum {
 public:
  LeadingSubspace(std::shared_ptr<const TermBlocks> data, Index components, int threads = 1);

  const Manifold& manifold() const override { return *manifold_; }
  Index terms() const override { return data_->terms(); }
  double value(MatIn x) override;
  double gradient(MatIn x, MatOut gradient) override;
  void hessian(MatIn x, MatIn u, MatOut out) override;
  void mean_gradient(MatIn x, std::span<const Index> terms, MatOut gradient) override;

 private:
  std::shared_ptr<const TermBlocks> data_;
  ManifoldPtr manifold_;
  int threads_;
  Mat partials_, second_, row_, both_, gathered_;
  Vec scores_;
};

// out = A x, for any number of columns. false: stopped by go_on, and out is not to be used.
bool times_data(const TermBlocks& data, MatIn x, int threads, MatOut out, const GoOn& go_on = {});
Mat second_moments(const TermBlocks& data, int threads, const GoOn& go_on = {});  // A itself; empty where stopped

}  // namespace quasar
