// SoftAbs: a metric for any target, from the Hessian of U with its eigenvalues made positive (Betancourt 2013, "A
// general metric for Riemannian manifold Hamiltonian Monte Carlo"):
//
//   H = Q diag(l) Q',   G = Q diag(f(l)) Q',   f(l) = l coth(a l)  ->  |l| where |l| >> 1/a, and 1/a at l = 0
//   dG = Q [J o (Q' dH Q)] Q',   J_ij = (f(l_i) - f(l_j)) / (l_i - l_j),   J_ii = f'(l_i)
//
// H and dH are the target's own where it states them, differences of its gradients elsewhere.
#pragma once

#include <Eigen/Eigenvalues>

#include <memory>

#include <quasar/core.hpp>

#include "integrators/difference_hessian.hpp"

namespace quasar {

// H = Q diag(l) Q' without allocating, which Eigen's solver for this does at every call: by its two halves.
class SpectralDecomposition {
 public:
  explicit SpectralDecomposition(Index dim);
  bool compute(const Mat& symmetric);  // false: no convergence
  const Vec& values() const { return values_; }
  const Mat& vectors() const { return vectors_; }

 private:
  Eigen::Tridiagonalization<Mat> first_;
  Eigen::SelfAdjointEigenSolver<Mat> second_;
  Vec diagonal_, below_, values_;
  Eigen::RowVectorXd workspace_;
  Mat basis_, vectors_;
};

class SoftAbsGeometry final : public Geometry {
 public:
  SoftAbsGeometry(Target& target, double hardness);  // a: eigenvalues below 1/a in size count as about 1/a

  bool diagonal() const override { return false; }
  bool metric(In x, Mat& g) override;  // always anew; the functions below go on from the last point asked for
  void directional(In x, In u, Mat& out) override;
  void contract(In x, const Mat& a, Out out) override;
  void divergence(In x, Out out) override;
  std::int64_t grad_evals() const override;

 private:
  bool decompose(In x);  // hessian, eigenvalues and J at x; false: there are none
  void move_to(In x);    // decompose, unless this is the point already

  std::unique_ptr<DifferenceHessian> differences_;  // where the target has no Hessian of its own
  Hessian* derivatives_;
  double hardness_;
  Vec at_;                 // the point of everything below
  Mat hessian_, divided_;  // H; J
  SpectralDecomposition eigen_;
  Vec values_;  // f(l)
  // scratch
  Vec rotated_u_, direction_, derivative_;
  Mat weights_, product_, rotated_;
};

}  // namespace quasar
