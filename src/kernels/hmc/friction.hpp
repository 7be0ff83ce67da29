// Friction C of stochastic-gradient HMC and the noise that belongs to it: N(0, 2 e T (C - B)), B = e V/2 what the noise
// of the gradient already supplies. C and V are numbers, diagonals or dense matrices, in any combination.
#pragma once

#include <quasar/core.hpp>
#include <quasar/rng.hpp>

namespace quasar {

// A multiple of the identity (1 x 1), a diagonal (D x 1) or a symmetric matrix (D x D).
using AnyMatrix = Mat;

class Friction {
 public:
  explicit Friction(Index dim = 0) : dim_(dim) {}
  Friction(Index dim, AnyMatrix c);

  void damp(double step, Out r) const;  // r -= e C r

  // False: C - B is not positive semidefinite. A dense C or V costs O(D^3) whenever step or V has changed.
  bool renew_noise(double step, double temperature, const AnyMatrix& v);
  void draw(Stream& normals, Out out) const;  // N(0, 2 e T (C - B)), of the last renew_noise

 private:
  bool renew_diagonal(double temperature);  // by step_ and v_, as renew_noise
  bool renew_dense(double temperature);

  Index dim_;
  AnyMatrix c_ = Mat::Zero(1, 1);
  AnyMatrix spread_ = Mat::Zero(1, 1);  // a root of 2 e T (C - B)
  double step_ = 0;                     // of spread_, as is v_
  AnyMatrix v_ = Mat::Zero(1, 1);
  bool enough_ = true;  // C - B is positive semidefinite
  mutable Vec scratch_;
};

}  // namespace quasar
