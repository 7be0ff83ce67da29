// n steps of a coordinate that no term of a batch touches. Its prior N(m, 1/precision) alone moves it, so a step is
// linear in y = x - m and normal, and n steps are one jump with a law in closed form:
//
//   sgld    y <- a y + s z,   a = 1 - e precision,   s^2 = 2 e T:   a^n y + N(0, s^2 (1 + a^2 + ... + a^(2n - 2)))
//   sghmc   (y, p) <- A (y, p) + (0, s z),   A = (1, e; -e precision, 1 - e C - e^2 precision),   s^2 = 2 e T (C - B):
//           A^n (y, p) + N(0, sum_{k < n} A^k Q A'^k),   Q = (0, 0; 0, s^2)
//
// A is the step of sghmc.hpp: the position moves first, and the force is taken where it has moved to.
#pragma once

#include <quasar/core.hpp>

namespace quasar {

struct LangevinJump {
  double power, spread;  // y <- power y + spread z
};

struct LangevinSteps {
  using Jump = LangevinJump;
  double step, spread;
  // Of 0, 1, ..., count - 1 steps into to[0], to[stride], ...
  void tabulate(double precision, Index count, Jump* to, Index stride) const;
};

struct HamiltonianJump {
  double xx, xp, px, pp;             // A^n
  double spread_x, cross, spread_p;  // a root of the covariance: y gets spread_x z, p gets cross z + spread_p z'
};

struct HamiltonianSteps {
  using Jump = HamiltonianJump;
  double step, friction, spread;
  void tabulate(double precision, Index count, Jump* to, Index stride) const;
};

}  // namespace quasar
