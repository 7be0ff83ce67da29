// The leapfrog step in velocity form: v ~ N(0, H), p = H^-1 v, K = p'v / 2.
//
//   p -= (e/2) g,  v -= (e/2) H g,   x += e v,   g = grad U(x),   p -= (e/2) g,  v -= (e/2) H g
//
// It needs a product with H, never a root of it, and the two half-kicks at a point share one H g. Reversible under
// v -> -v, volume preserving, energy error O(e^2) (Neal 2011).
#pragma once

#include <quasar/core.hpp>
#include <quasar/rng.hpp>

#include "integrators/potential.hpp"

namespace quasar {

struct PhasePoint {
  Vec x, g;      // position and grad U, whole
  Vec p, v, hg;  // momentum, velocity, H g on the block that moves
  double u = 0;  // potential energy

  PhasePoint() = default;
  PhasePoint(Index dim, Index moving) : x(dim), g(dim), p(moving), v(moving), hg(moving) {}
  double energy() const { return u + 0.5 * p.dot(v); }
};

// A fresh velocity at z.x, whose potential and gradient are already there.
template <Preconditioner P>
void refresh(const P& metric, Block block, Stream& noise, PhasePoint& z) {
  metric.draw(noise, z.v);
  metric.solve(z.v, z.p);
  metric.apply(z.g.segment(block.begin, block.size), z.hg);
}

template <Preconditioner P>
void leapfrog(Target& target, const P& metric, Block block, double step, PhasePoint& z) {
  const double half = 0.5 * step;
  double* const x = z.x.data() + block.begin;
  const double* const g = z.g.data() + block.begin;
  double* const p = z.p.data();
  double* const v = z.v.data();
  const double* const hg = z.hg.data();
  for (Index i = 0; i < block.size; ++i) {
    p[i] -= half * g[i];
    v[i] -= half * hg[i];
    x[i] += step * v[i];
  }
  z.u = potential(target, z.x, z.g);
  metric.apply(z.g.segment(block.begin, block.size), z.hg);
  for (Index i = 0; i < block.size; ++i) {
    p[i] -= half * g[i];
    v[i] -= half * hg[i];
  }
}

}  // namespace quasar
