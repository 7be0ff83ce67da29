// Nose-Poincare dynamics with a constant mass M (Bond, Leimkuhler and Laird 1999), p = s times the real momentum:
//
//   H = s h,   h = U(x) + p'M^-1 p / (2 s^2) + q^2/(2Q) + g kT log s - H0,
//
// and one step of the generalised leapfrog for it. The quadratic for q at half time and the linear equation for s' have
// closed forms, so that it is explicit: symplectic, reversible under (p, q) -> -(p, q), of second order. On h = 0 with
// g = D the real variables follow a Nose-Hoover thermostat and x has the canonical law at kT.
//
// Frictions -B M^-1 p / sqrt(s) on p and -A s q/Q on q, implicit in the first half and explicit in the second, take
// up the noise of estimated gradients. Without them the step is the Hamiltonian one.
#pragma once

#include <cmath>

#include "integrators/leapfrog.hpp"
#include "integrators/nose_hoover.hpp"

namespace quasar {

struct NosePoincare {
  double degrees = 1;              // g
  double temperature = 1;          // kT
  double thermostat_mass = 1;      // Q
  double offset = 0;               // H0
  double friction = 0;             // B
  double thermostat_friction = 0;  // A

  // E = h + H0, with twice the kinetic energy of the real momentum.
  double energy(double u, double twice_kinetic, const Thermostat& t) const {
    return u + 0.5 * twice_kinetic + t.q * t.q / (2 * thermostat_mass) + degrees * temperature * t.log_s;
  }

  // (q, log s) to (q at half time, log s at the end), by p'M^-1 p at half time. False, and nothing has changed: the
  // step is too long. Of the two roots of (e/4Q) q^2 + (1 + e A s/2Q) q = c this is the one that is near q for small
  // steps, without cancellation; the step back finds it again only if |e q/2Q| < 1.
  bool open(double step, double u, double twice_kinetic, Thermostat& t) const {
    const double s = std::exp(t.log_s);
    const double c = t.q + 0.5 * step * force(u, twice_kinetic, t.log_s);
    const double linear = 1 + 0.5 * step * thermostat_friction * s / thermostat_mass;
    const double discriminant = linear * linear + step * c / thermostat_mass;
    if (!(discriminant >= 0)) return false;
    const double half_q = 2 * c / (linear + std::sqrt(discriminant));
    const double x = 0.5 * step * half_q / thermostat_mass;
    if (!(std::abs(x) < 1)) return false;
    t.q = half_q;
    t.log_s += 2 * std::atanh(x);  // s' = s (1 + x)/(1 - x)
    return true;
  }

  // q from half time to the end.
  void close(double step, double u, double twice_kinetic, Thermostat& t) const {
    const double drag = (0.5 * t.q + thermostat_friction * std::exp(t.log_s)) * t.q / thermostat_mass;
    t.q += 0.5 * step * (force(u, twice_kinetic, t.log_s) - drag);
  }

 private:
  double force(double u, double twice_kinetic, double log_s) const {  // the part of dq/dt that q is not in
    return 0.5 * twice_kinetic * std::exp(-2 * log_s) - u - degrees * temperature * (1 + log_s) + offset;
  }
};

// Forces: velocity(p, damping, v) sets v = (M + damping)^-1 p; renew(z) sets z.u and z.g at z.x.
// False: the step is too long, and only p has changed.
template <class Forces>
bool nose_poincare_step(const NosePoincare& np, Forces&& forces, Block block, double step, PhasePoint& z,
                        Thermostat& t) {
  const double half = 0.5 * step;
  const double s = std::exp(t.log_s), damping = half * np.friction / std::sqrt(s);
  z.p -= half * s * z.g.segment(block.begin, block.size);
  forces.velocity(z.p, damping, z.v);
  z.p -= damping * z.v;
  const double twice_kinetic = z.p.dot(z.v);
  if (!np.open(step, z.u, twice_kinetic, t)) return false;
  const double end_s = std::exp(t.log_s);
  z.x.segment(block.begin, block.size) += half * (1 / s + 1 / end_s) * z.v;
  forces.renew(z);
  z.p -= half * (end_s * z.g.segment(block.begin, block.size) + np.friction / std::sqrt(end_s) * z.v);
  np.close(step, z.u, twice_kinetic, t);
  return true;
}

}  // namespace quasar
