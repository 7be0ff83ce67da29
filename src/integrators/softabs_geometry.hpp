// SoftAbs: a metric for any target, from the Hessian of U with its eigenvalues made positive (Betancourt 2013, "A
// general metric for Riemannian manifold Hamiltonian Monte Carlo"):
//
//   H = Q diag(l) Q',   G = Q diag(f(l)) Q',   f(l) = l coth(a l)  ->  |l| where |l| >> 1/a, and 1/a at l = 0
//   dG = Q [J o (Q' dH Q)] Q',   J_ij = (f(l_i) - f(l_j)) / (l_i - l_j),   J_ii = f'(l_i)
//
// H and dH are central differences of gradients: 2D gradients for G, 2D(D + 1) more for its derivatives. The step is
// absolute, so coordinates should be of order one, as unconstrained and standardised ones are.
#pragma once

#include <Eigen/Eigenvalues>

#include <quasar/core.hpp>

namespace quasar {

// H = Q diag(l) Q' without allocating, which Eigen's solver for this does at every call: by its two halves.
class SpectralDecomposition {
 public:
  explicit SpectralDecomposition(Index dim);
  void compute(const Mat& symmetric);
  const Vec& values() const { return second_.eigenvalues(); }
  const Mat& vectors() const { return vectors_; }

 private:
  Eigen::Tridiagonalization<Mat> first_;
  Eigen::SelfAdjointEigenSolver<Mat> second_;
  Vec diagonal_, below_;
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
  std::int64_t grad_evals() const override { return grad_evals_; }

 private:
  void decompose(In x);                             // hessian, eigenvalues and J at x
  void move_to(In x);                               // decompose, unless this is the point already
  void differentiate();                             // dH at the point, once
  void add_differences(Index from, double weight);  // columns from.. of weight * Hessian at shifted_
  void gradient(Out out);                           // of U at shifted_; NaN where there is none
  void spectral_product(const Mat& m, Mat& out);    // Q [J o (Q' m Q)] Q'

  Target* target_;
  double hardness_;
  std::int64_t grad_evals_ = 0;
  Vec at_;  // the point of everything below
  bool differentiated_ = false;
  Mat hessian_, divided_;  // H; J
  Mat third_;              // column i: dH/dx_i, column by column
  SpectralDecomposition eigen_;
  Vec values_;  // f(l)
  Vec shifted_, plus_, minus_;
  Mat sums_, product_, rotated_;
};

}  // namespace quasar
