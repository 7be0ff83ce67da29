// The matrix Q with orthonormal columns that takes A nearest to B: f(Q) = |A Q - B|^2, A n x d and B n x p. For p = d
// the answer is the polar factor of A'B (Schoenemann, Psychometrika 31, 1966), and the best rotation turns the
// direction of its least singular value where the determinant is -1 (Kabsch, Acta Crystallographica A 32, 1976). For
// p < d there is no closed form (Elden and Park, Numerische Mathematik 82, 1999).
#pragma once

#include <quasar/manifold_problem.hpp>

namespace quasar {

class Procrustes final : public ManifoldProblem {
 public:
  Procrustes(MatIn a, MatIn b);  // DataError: shapes that do not fit, or entries that are not finite

  const Manifold& manifold() const override { return *manifold_; }
  double value(MatIn q) override;
  double gradient(MatIn q, MatOut gradient) override;
  void hessian(MatIn q, MatIn u, MatOut out) override;

  Mat polar_factor(bool rotation = false) const;  // U V' of A'B = U S V'; rotation: with determinant 1, for p = d
  // How long gradients are: |A'B|, or |A'A| where all of that is rounding.
  double gradient_size() const;

 private:
  Mat gram_, product_;  // A'A, A'B
  double square_;       // |B|^2
  ManifoldPtr manifold_;
  Mat partials_, second_;
};

}  // namespace quasar
