// The generalised leapfrog for H(x, p) = U(x) + p'G(x)^-1 p/2 + log|G(x)|/2 (Leimkuhler and Reich 2004; Girolami and
// Calderhead 2011). With v = G^-1 p, w_i = v'(dG/dx_i)v and t_i = tr(G^-1 dG/dx_i), dH/dx = grad U + t/2 - w/2:
//
//   p~ = p  - (e/2) dH/dx(x, p~)                        implicit in p~
//   x' = x  + (e/2) [G(x)^-1 p~ + G(x')^-1 p~]          implicit in x'
//   p' = p~ - (e/2) dH/dx(x', p~)                       explicit
//
// Reversible under p -> -p, symplectic, energy error O(e^2), where the equations are solved. A solver may find one root
// on the way there and another on the way back, or none; the reversal check makes every step that is kept one whose
// reverse exists and returns, which is what Metropolis needs.
#pragma once

#include <quasar/core.hpp>
#include <quasar/rng.hpp>

#include "integrators/implicit_solver.hpp"
#include "metrics/local_metric.hpp"

namespace quasar {

struct RiemannianPoint {
  Vec x, g;            // position and grad U
  Vec p, v;            // momentum and velocity G^-1 p
  Vec slope;           // grad (U + log|G|/2): the part of dH/dx without momentum
  LocalMetric metric;  // G(x)
  double u = 0;        // potential energy

  explicit RiemannianPoint(Index dim = 0, bool diagonal = false)
      : x(dim), g(dim), p(dim), v(dim), slope(dim), metric(dim, diagonal) {}
  double energy() const { return u + 0.5 * (p.dot(v) + metric.log_det()); }
};

// With its own scratch: a step allocates nothing.
class GeneralizedLeapfrog {
 public:
  GeneralizedLeapfrog() = default;
  GeneralizedLeapfrog(Target& target, Geometry& geometry, ImplicitSettings settings);

  StepFailure locate(RiemannianPoint& z);                  // all that depends on z.x beside U and its gradient
  static void refresh(Stream& noise, RiemannianPoint& z);  // p ~ N(0, G)
  StepFailure step(double size, RiemannianPoint& z);

  // The parts of a step.
  StepFailure implicit_kick(double half, RiemannianPoint& z);
  StepFailure drift(double half, RiemannianPoint& z);  // leaves U, its gradient and the slope of the old place
  void explicit_kick(double half, RiemannianPoint& z);

  std::int64_t iterations() const { return solver_.iterations(); }                   // of the solver, so far
  std::int64_t grad_evals() const { return grad_evals_ + geometry_->grad_evals(); }  // so far

 private:
  StepFailure arrive(RiemannianPoint& z);  // U, its gradient and the slope at a new place
  void set_slope(RiemannianPoint& z);
  void momentum_terms(const RiemannianPoint& z);            // w
  bool drifts_back(double half, const RiemannianPoint& z);  // from the new place to origin_
  bool kicks_back(double half, const RiemannianPoint& z);   // from the new momentum to half_way_

  Target* target_ = nullptr;
  Geometry* geometry_ = nullptr;
  ImplicitSolver solver_;
  std::int64_t grad_evals_ = 0;  // beside those of the geometry
  Vec start_, start_v_, unit_, w_, origin_, half_way_;
  Mat directional_, weights_;
  RiemannianPoint back_;
};

}  // namespace quasar
