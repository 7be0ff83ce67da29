// H = I: no preconditioning.
#pragma once

#include <quasar/core.hpp>
#include <quasar/rng.hpp>

namespace quasar {

struct Identity {
  explicit Identity(Index /*dim*/ = 0) {}
  void apply(In v, Out out) const { out = v; }
  void solve(In v, Out out) const { out = v; }
  void draw(Stream& r, Out out) const { r.normals(out); }
  Mat inverse_metric(Index dim) const { return Vec::Ones(dim); }
  static void fields(auto&, auto&&) {}
};

}  // namespace quasar
