// Points of thermostat dynamics on SkewedTarget with a diagonal mass, moved by the maps under test.
#pragma once

#include <gtest/gtest.h>

#include <cmath>

#include "integrators/nose_poincare.hpp"
#include "metrics/diagonal.hpp"
#include "support/targets.hpp"

namespace quasar::test::thermostat {

inline constexpr Index dim = 3;
inline const Vec x0{{-0.4, 0.7, 0.2}}, p0{{0.9, -1.1, 0.6}}, mass{{2, 0.5, 1.25}};
inline constexpr double start_q = 0.8, start_s = 1.3, temperature = 0.7;

inline Diagonal metric() {
  Diagonal inverse_mass(dim);
  inverse_mass.set_variance(mass.cwiseInverse());
  return inverse_mass;
}

struct Forces {  // a diagonal mass
  Target& target;
  void velocity(In p, double damping, Out v) const { v = p.array() / (mass.array() + damping); }
  void renew(PhasePoint& z) const { z.u = potential(target, z.x, z.g); }
};

struct Point {  // (x, s, p, q): the canonical variables
  PhasePoint z{dim, dim};
  Thermostat t;

  Vec flat() const {
    Vec out(2 * dim + 2);
    out << z.x, std::exp(t.log_s), z.p, t.q;
    return out;
  }
};

inline Point point(Target& target, In flat) {
  Point at;
  at.z.x = flat.head(dim);
  at.t = {std::log(flat[dim]), flat[2 * dim + 1]};
  at.z.p = flat.segment(dim + 1, dim);
  at.z.v = at.z.p.cwiseQuotient(mass);
  at.z.u = potential(target, at.z.x, at.z.g);
  at.z.hg = at.z.g.cwiseQuotient(mass);
  return at;
}

inline Vec start() {
  Vec flat(2 * dim + 2);
  flat << x0, start_s, start_s * p0, start_q;
  return flat;
}

inline NosePoincare dynamics() {
  return {.degrees = dim, .temperature = temperature, .thermostat_mass = 2.5, .offset = 1.7};
}

inline Point travelled(Point at, Target& target, const NosePoincare& np, double step, int steps) {
  for (int i = 0; i < steps; ++i) EXPECT_TRUE(nose_poincare_step(np, Forces{target}, {0, dim}, step, at.z, at.t));
  return at;
}

// H, straight from its definition.
inline double hamiltonian(Target& target, const NosePoincare& np, In flat) {
  Vec g(dim);
  const double s = flat[dim], q = flat[2 * dim + 1], u = potential(target, flat.head(dim), g);
  const double kinetic = (flat.segment(dim + 1, dim).array().square() / mass.array()).sum() / (2 * s * s);
  return s * (u + kinetic + q * q / (2 * np.thermostat_mass) + np.degrees * np.temperature * std::log(s) - np.offset);
}

inline Point nose_hoover_travelled(Point at, Target& target, const NoseHoover& nh, double step, int steps) {
  for (int i = 0; i < steps; ++i) nose_hoover_step(nh, target, metric(), {0, dim}, step, at.z, at.t);
  return at;
}

inline constexpr NoseHoover nose_hoover{temperature, 2.5};

}  // namespace quasar::test::thermostat
