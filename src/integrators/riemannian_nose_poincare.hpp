// Nose-Poincare dynamics on a metric that follows the place (Roychowdhury, Kulis and Parthasarathy 2016; the constant
// metric is Bond, Leimkuhler and Laird's 1999). The thermostat has the position s and the momentum q, p/s is the real
// momentum:
//
//   H = s h,   h = U + p'G^-1 p/(2 s^2) + q^2/(2 Q_G) + c log|G| + g T log s - H0,   Q_G = Q |G|^a,   c = T (1 + a)/2
//
// The integral over p/s leaves |G|^(1/2) and that over q leaves |G|^(a/2): exp(-c log|G| / T) takes both away. Where
// H = 0 and g = D the law of x is exp(-U/T). With v, w and t as for the generalised leapfrog, and two frictions (0 for
// the energy's own flow; B and A for its forms on noisy gradients),
//
//   x. = v/s                p. = -s (grad U + c t) + w/(2s) + s a q^2/(2 Q_G) t - B v/sqrt(s)
//   s. = s q/Q_G            q. = p'v/(2 s^2) - U - q^2/(2 Q_G) - c log|G| - g T (1 + log s) + H0 - A s q/Q_G.
//
// A step is the generalised leapfrog of these: (p, q) half a step implicitly, (x, s) a step implicitly, (p, q) half a
// step explicitly. One unknown goes at once: the equation of q~ is quadratic where p~ is known, and that of
// s'/s = (1 + e q~/(2 Q_G)) / (1 - e q~/(2 Q_G')) is explicit where x' is. For G = diag(1/x) it is the other way round:
// p~ is the root of a quadratic where q~ is known and x' is explicit where s' is, which leaves one equation in one
// unknown, or none if a = 0.
#pragma once

#include <cmath>

#include <quasar/core.hpp>
#include <quasar/rng.hpp>

#include "integrators/implicit_solver.hpp"
#include "integrators/metric_terms.hpp"

namespace quasar {

struct RiemannianThermostat {
  double mass = 1;                               // Q
  double exponent = 0;                           // a
  double temperature = 1;                        // T
  double degrees = 1;                            // g
  double friction = 0, thermostat_friction = 0;  // B, A

  double log_det_weight() const { return temperature * (1 + exponent) / 2; }  // c
};

struct RiemannianThermostatPoint : RiemannianPoint {
  Vec t;                                   // t_i = tr(G^-1 dG/dx_i)
  double q = 0, log_s = 0, reference = 0;  // reference: H0

  explicit RiemannianThermostatPoint(Index dim = 0, bool diagonal = false) : RiemannianPoint(dim, diagonal), t(dim) {}
  double s() const { return std::exp(log_s); }
  void turn() {  // time backwards
    RiemannianPoint::turn();
    q = -q;
  }
};

// With its own scratch: a step allocates nothing.
class RiemannianNosePoincare {
 public:
  using Point = RiemannianThermostatPoint;

  RiemannianNosePoincare() = default;
  RiemannianNosePoincare(Target& target, Geometry& geometry, ImplicitSettings settings,
                         RiemannianThermostat thermostat);

  StepFailure locate(Point& z);                 // all that depends on z.x beside U and its gradient
  void refresh(Stream& noise, Point& z) const;  // p ~ N(0, T G), q ~ N(0, T Q_G)
  double energy(const Point& z) const;          // h + H0
  double hamiltonian(const Point& z) const { return z.s() * (energy(z) - z.reference); }
  double inverse_mass(const Point& z) const;  // 1/Q_G

  // A step with U of the target; or with another, which the caller writes to z.u and z.g between the two halves.
  StepFailure step(double size, Point& z);
  StepFailure depart(double half, Point& z);  // leaves U and its gradient of the old place
  StepFailure arrive(double half, Point& z);

  std::int64_t iterations() const { return solver_.iterations() + scalar_solver_.iterations(); }  // so far
  std::int64_t grad_evals() const { return grad_evals_ + geometry_->grad_evals(); }               // so far

 private:
  void set_slope(Point& z);
  double level(double half, const Point& z) const;                    // the part of q~'s equation without p~
  double root_of_q(double half, double level, const Point& z) const;  // q~ of this p~; NaN: none

  StepFailure implicit_kick(double half, Point& z);
  StepFailure solve_momentum(double half, Point& z);    // p~, and q~ by it
  StepFailure solve_thermostat(double half, Point& z);  // q~, and p~ by it: G = diag(1/x)
  void explicit_kick(double half, Point& z);

  StepFailure drift(double half, Point& z);
  StepFailure solve_position(double half, Point& z);  // x', and s' by it
  StepFailure solve_scale(double half, Point& z);     // s', and x' by it: G = diag(1/x)
  StepFailure locate_velocity(Point& z);              // metric and velocity at z.x

  bool drifts_back(double half, const Point& z);
  bool kicks_back(double half, const Point& z);

  Target* target_ = nullptr;
  Geometry* geometry_ = nullptr;
  RiemannianThermostat thermostat_;
  ImplicitSolver solver_, scalar_solver_;
  MetricTerms terms_;
  std::int64_t grad_evals_ = 0;  // beside those of the geometry
  Vec start_, unit_, w_, border_, origin_, half_way_;
  Vec scalar_, scalar_unit_;  // of length 1
  double origin_log_s_ = 0, half_way_q_ = 0;
  Mat inverse_;
  Point back_;
};

}  // namespace quasar
