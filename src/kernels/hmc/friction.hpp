// Friction C of stochastic-gradient HMC and the noise that belongs to it: N(0, 2 e T (C - B)), B = e V/2 what the noise
// of the gradient already supplies. C and V are numbers, diagonals or dense matrices, in any combination.
#pragma once

#include <quasar/core.hpp>
#include <quasar/rng.hpp>

#include "metrics/mass_matrix.hpp"

namespace quasar {

// A multiple of the identity (1 x 1), a diagonal (D x 1) or a symmetric matrix (D x D).
using AnyMatrix = Mat;

class Friction {
 public:
  explicit Friction(Index dim = 0) : dim_(dim) {}
  Friction(Index dim, AnyMatrix c);

  void set(const AnyMatrix& c);                                 // of the shape it has
  void damp(double step, const MassMatrix& mass, Out p) const;  // p -= e C M^-1 p

  // False: C - B is not positive semidefinite. A dense C or V costs O(D^3) whenever step or V has changed.
  bool renew_noise(double step, double temperature, const AnyMatrix& v);
  void draw(Stream& normals, Out out) const;  // N(0, 2 e T (C - B)), of the last renew_noise

  static void fields(auto& self, auto&& visit) { visit("c", self.c_); }

 private:
  bool renew_diagonal(double temperature);  // by step_ and v_, as renew_noise
  bool renew_dense(double temperature);
  const Vec& times_velocity() const;

  Index dim_;
  AnyMatrix c_ = Mat::Zero(1, 1);
  AnyMatrix spread_ = Mat::Zero(1, 1);  // a root of 2 e T (C - B)
  double step_ = 0;                     // of spread_, as is v_
  AnyMatrix v_ = Mat::Zero(1, 1);
  bool enough_ = true;  // C - B is positive semidefinite
  mutable Vec scratch_, velocity_;
};

}  // namespace quasar
