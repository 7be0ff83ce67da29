// A step of the Nose-Hoover thermostat in real variables: dx/dt = M^-1 p, dp/dt = grad L - (q/Q) p,
// dq/dt = p'M^-1 p - D kT, and log s, the integral of q/Q.
//
//   q += (e/2)(p'v - D kT),   p *= exp(-e q/2Q),   a leapfrog step,   p *= exp(-e q/2Q),   q += (e/2)(p'v - D kT)
//
// Symmetric, so reversible under (p, q) -> -(p, q), of second order; a step scales volume by exp(-D (log s' - log s)).
#pragma once

#include <cmath>

#include "integrators/leapfrog.hpp"

namespace quasar {

struct Thermostat {
  double log_s = 0, q = 0;
};

struct NoseHoover {
  double temperature = 1;      // kT
  double thermostat_mass = 1;  // Q

  // dq/dt for `time`, where p'M^-1 p is twice the kinetic energy.
  void push(double time, double twice_kinetic, Index dim, Thermostat& t) const {
    t.q += time * (twice_kinetic - static_cast<double>(dim) * temperature);
  }
  // What friction q/Q leaves of a momentum in `time`.
  double damping(double time, const Thermostat& t) const { return std::exp(-time * t.q / thermostat_mass); }
  double energy(const Thermostat& t) const { return t.q * t.q / (2 * thermostat_mass); }
};

template <Preconditioner P>
void nose_hoover_step(const NoseHoover& thermostat, Target& target, const P& metric, Block block, double step,
                      PhasePoint& z, Thermostat& t) {
  const double half = 0.5 * step;
  thermostat.push(half, z.p.dot(z.v), block.size, t);
  const double damping = thermostat.damping(half, t);
  z.p *= damping;
  z.v *= damping;
  leapfrog(target, metric, block, step, z);
  z.p *= damping;
  z.v *= damping;
  t.log_s += step * t.q / thermostat.thermostat_mass;
  thermostat.push(half, z.p.dot(z.v), block.size, t);
}

}  // namespace quasar
