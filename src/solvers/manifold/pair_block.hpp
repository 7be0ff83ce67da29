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
// (Dauphin et al., NIPS 2014). b is one over the largest |w|.
#pragma once

#include <Eigen/Eigenvalues>

#include <vector>

#include "solvers/manifold/tangent_pairs.hpp"

namespace quasar {

class PairBlock {
 public:
  PairBlock(const Manifold& manifold, Index memory);

  // out = H v. Directions with |w| < least are left to the gradient.
  void apply(const TangentPairs& pairs, MatIn x, MatIn v, double least, MatOut out);

 private:
  void orthonormalize(const TangentPairs& pairs, MatIn x);
  void invert_curvature(MatIn x, double least);

  const Manifold* manifold_;
  std::vector<Mat> z_, y_;  // the first `count_` are in use: z orthonormal, y what belongs to it
  Index count_ = 0;
  Mat curvature_, inverse_, absolute_;  // S, and its inverse with the signs of the curvatures and without
  Eigen::SelfAdjointEigenSolver<Mat> eigen_;
  double scale_ = 0;  // b
  Vec weights_, products_;
};

}  // namespace quasar
