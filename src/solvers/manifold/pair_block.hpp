// All pairs at once: the inverse Hessian H that has H y_i = z_i for every pair, where L-BFGS keeps the newest alone.
// With Z and Y the pairs side by side and S = Z'Y, which is symmetric where the gradients are those of a quadratic
// cost,
//
//   H = Z S^-1 Z' + (I - Z S^-1 Y') b (I - Y S^-1 Z')
//
// (Schnabel, "Quasi-Newton methods using multiple secant equations", 1983; Gower, Goldfarb and Richtarik, ICML 2016).
// On a quadratic cost whose Hessian has k different eigenvalues steps -H g end after about k of them, whatever its
// condition is: each step solves the problem in the space of the pairs and goes on by the gradient outside of it. Where
// the curvature w of a direction in that space is negative the step takes 1/|w|, which leads away from a saddle point
// (Dauphin et al., NIPS 2014), so that H is never negative. b is one over the largest curvature seen.
//
// Where the Hessian changes on the way S is not symmetric: z_i'y_j and z_j'y_i are the curvature at two times. The one
// with the newer y counts, and the older y follows (Schnabel 1983), so that H y = z stays right for the newest pair.
#pragma once

#include <vector>

#include "solvers/manifold/tangent_pairs.hpp"

namespace quasar {

class PairBlock {
 public:
  PairBlock(const Manifold& manifold, Index memory);

  // From tangent vectors at x. Directions with |w| <= least, or as small as rounding, are left to the gradient.
  void learn(const TangentPairs& pairs, MatIn x, double least);
  // out = H v, at the point of the last learn(). Without pairs out = b v, b = 1 at first.
  void apply(MatIn x, MatIn v, MatOut out);

 private:
  bool add(MatIn x, MatIn z, MatIn y);
  bool find_spectrum(MatIn x);
  void multiply(MatIn x, const std::vector<Mat>& vectors, MatIn v, Vec& out) const;
  void divide(const Vec& one_over, Vec& coefficients);

  const Manifold* manifold_;
  std::vector<Mat> z_, y_;  // the first `count_` are in use, the newest first: z orthonormal, y what belongs to it
  Index count_ = 0;
  Mat vectors_;                   // of S, in columns
  Vec values_, work_;             // w, and what LAPACK writes on
  Vec one_over_, one_over_size_;  // 1/w and 1/|w|
  double scale_ = 1;              // b
  Vec along_, newton_, turned_;
};

}  // namespace quasar
