// The generalised leapfrog for H(x, p) = U(x) + p'G(x)^-1 p/2 + (T/2) log|G(x)| (Leimkuhler and Reich 2004; Girolami
// and Calderhead 2011). With v = G^-1 p, w_i = v'(dG/dx_i)v and t_i = tr(G^-1 dG/dx_i), dH/dx = grad U + (T/2) t - w/2:
//
//   p~ = p  - (e/2) dH/dx(x, p~)                        implicit in p~
//   x' = x  + (e/2) [G(x)^-1 p~ + G(x')^-1 p~]          implicit in x'
//   p' = p~ - (e/2) dH/dx(x', p~)                       explicit
//
// Reversible under p -> -p, symplectic, energy error O(e^2), where the equations are solved. A solver may find one root
// on the way there and another on the way back, or none; the reversal check makes every step that is kept one whose
// reverse exists and returns, which is what Metropolis needs. For G = diag(1/x) both equations are quadratic in one
// unknown each: p~ = 2k/(1 + sqrt(1 + e k)), k the explicit part of the kick, and x'(1 - e p~/2) = x (1 + e p~/2).
#pragma once

#include <quasar/core.hpp>
#include <quasar/rng.hpp>

#include "integrators/implicit_solver.hpp"
#include "integrators/metric_terms.hpp"

namespace quasar {

// With its own scratch: a step allocates nothing.
class GeneralizedLeapfrog {
 public:
  using Point = RiemannianPoint;

  GeneralizedLeapfrog() = default;
  GeneralizedLeapfrog(Target& target, Geometry& geometry, ImplicitSettings settings, double temperature = 1);

  StepFailure locate(RiemannianPoint& z);                  // all that depends on z.x beside U and its gradient
  static void refresh(Stream& noise, RiemannianPoint& z);  // p ~ N(0, G)
  double energy(const RiemannianPoint& z) const {
    return z.u + 0.5 * (z.p.dot(z.v) + temperature_ * z.metric.log_det());
  }

  // A step with U of the target; or with another, which the caller writes to z.u and z.g between the two halves.
  StepFailure step(double size, RiemannianPoint& z);
  StepFailure depart(double half, RiemannianPoint& z);  // leaves U and its gradient of the old place
  StepFailure arrive(double half, RiemannianPoint& z);

  std::int64_t iterations() const { return solver_.iterations(); }                   // of the solver, so far
  std::int64_t grad_evals() const { return grad_evals_ + geometry_->grad_evals(); }  // so far

 private:
  StepFailure implicit_kick(double half, RiemannianPoint& z);
  StepFailure drift(double half, RiemannianPoint& z);
  StepFailure locate_velocity(RiemannianPoint& z);  // metric and velocity at z.x
  void explicit_kick(double half, RiemannianPoint& z);
  void set_slope(RiemannianPoint& z);
  bool drifts_back(double half, const RiemannianPoint& z);  // from the new place to origin_
  bool kicks_back(double half, const RiemannianPoint& z);   // from the new momentum to half_way_

  Target* target_ = nullptr;
  Geometry* geometry_ = nullptr;
  double temperature_ = 1;
  ImplicitSolver solver_;
  MetricTerms terms_;
  std::int64_t grad_evals_ = 0;  // beside those of the geometry
  Vec start_, start_v_, unit_, w_, origin_, half_way_;
  RiemannianPoint back_;
};

}  // namespace quasar
