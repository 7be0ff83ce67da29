// The Euler step of overdamped Langevin dynamics, x += e H f + sqrt(2 e T) N(0, H).
#pragma once

#include <algorithm>
#include <cmath>

#include <quasar/core.hpp>
#include <quasar/rng.hpp>

namespace quasar {

inline double langevin_spread(double step, double temperature) { return std::sqrt(2 * step * temperature); }

// H = I: x += step f + spread z. The noise never exists as a whole vector: f and x are read once, x is written once.
inline void euler_move(double step, double spread, In f, Stream noise, Out x) {
  constexpr Index block = 512;
  Eigen::Matrix<double, block, 1> z;
  for (Index begin = 0; begin < x.size(); begin += block) {
    const Index n = std::min(block, x.size() - begin);
    auto here = x.segment(begin, n);
    if (spread == 0) {
      here += step * f.segment(begin, n);
      continue;
    }
    noise.normals(z.head(n));
    here += step * f.segment(begin, n) + spread * z.head(n);
  }
}

// move = e H f + spread N(0, H); drift is scratch of the same size.
template <Preconditioner P>
void preconditioned_move(const P& h, double step, double spread, In f, Stream noise, Out drift, Out move) {
  h.apply(f, drift);
  h.draw(noise, move);
  move = step * drift + spread * move;
}

}  // namespace quasar
