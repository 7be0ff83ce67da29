// H = C^2 for another metric C.
//
// Quasi-Newton HMC as published moves by dx/dt = C p, dp/dt = -C grad U with p ~ N(0, I). With r = C^-1 p that is HMC
// with the mass C^-2: the same trajectories and the same energies.
#pragma once

#include <quasar/core.hpp>
#include <quasar/rng.hpp>

#include "metrics/small_dense.hpp"

namespace quasar {

template <Preconditioner P>
class Squared {
 public:
  explicit Squared(P root = P(), Index dim = 0) : root_(std::move(root)), half_(dim) {}

  P& root() { return root_; }

  void apply(In v, Out out) const {
    root_.apply(v, half_);
    root_.apply(half_, out);
  }
  void solve(In v, Out out) const {
    root_.solve(v, half_);
    root_.solve(half_, out);
  }
  void draw(Stream& r, Out out) const {
    r.normals(half_);
    root_.apply(half_, out);
  }
  Mat inverse_metric(Index dim) const { return small_dense(*this, dim); }
  static void fields(auto& self, auto&& visit) { visit("root", self.root_); }

 private:
  P root_;
  mutable Vec half_;  // scratch: a metric belongs to one chain
};

}  // namespace quasar
