#include "integrators/generalized_leapfrog.hpp"

#include <cmath>

#include "integrators/potential.hpp"
#include "integrators/reciprocal_metric.hpp"

namespace quasar {

GeneralizedLeapfrog::GeneralizedLeapfrog(Target& target, Geometry& geometry, ImplicitSettings settings,
                                         double temperature)
    : target_(&target),
      geometry_(&geometry),
      temperature_(temperature),
      solver_(target.dim(), settings),
      terms_(&geometry),
      start_(target.dim()),
      start_v_(target.dim()),
      unit_(target.dim()),
      w_(target.dim()),
      origin_(target.dim()),
      half_way_(target.dim()),
      back_(target.dim(), geometry.diagonal()) {}

StepFailure GeneralizedLeapfrog::locate(RiemannianPoint& z) {
  if (!z.metric.renew(*geometry_, z.x)) return StepFailure::not_positive_definite;
  set_slope(z);
  return StepFailure::none;
}

void GeneralizedLeapfrog::set_slope(RiemannianPoint& z) {
  terms_.trace(z, z.slope);
  z.slope = z.g + 0.5 * temperature_ * z.slope;
}

void GeneralizedLeapfrog::refresh(Stream& noise, RiemannianPoint& z) {
  z.metric.draw(noise, z.p);
  z.metric.solve(z.p, z.v);
}

// Newton starts behind the explicit part of the kick: from p itself a hard kick can lead it to the wrong root.
// dF_i/dp_j = delta_ij - half (G^-1 (dG/dx_i)v)_j.
StepFailure GeneralizedLeapfrog::implicit_kick(double half, RiemannianPoint& z) {
  const ImplicitSettings& settings = solver_.settings();
  unit_ = z.metric.root_diagonal();
  start_ = z.p - half * z.slope;
  StepFailure failure = StepFailure::none;
  if (settings.closed_form()) {
    z.p = start_.unaryExpr([half](double k) { return near_root(1, half, k); });
    if (!z.p.allFinite()) failure = StepFailure::no_root;
  } else {
    if (settings.newton()) z.p = start_;
    failure = solver_.solve(unit_, z.p, [&](const Vec& p, Vec& residual, Mat* jacobian) {
      z.metric.solve(p, z.v);
      if (jacobian == nullptr) {
        terms_.kinetic(z, w_);
      } else {
        set_jacobian(-half, terms_.by_momentum(z, w_), false, *jacobian);
      }
      residual = p - start_ - 0.5 * half * w_;
      return StepFailure::none;
    });
  }
  z.metric.solve(z.p, z.v);
  return failure;
}

StepFailure GeneralizedLeapfrog::locate_velocity(RiemannianPoint& z) {
  if (!inside(target_->support(), z.x)) return StepFailure::outside_support;
  if (!z.metric.renew(*geometry_, z.x)) return StepFailure::not_positive_definite;
  z.metric.solve(z.p, z.v);
  return StepFailure::none;
}

// dF_i/dx'_j = delta_ij + half (G^-1 (dG/dx_j)v)_i at x'.
StepFailure GeneralizedLeapfrog::drift(double half, RiemannianPoint& z) {
  start_ = z.x;
  start_v_ = z.v;
  unit_ = z.metric.root_diagonal().cwiseInverse();
  if (solver_.settings().closed_form()) {
    return reciprocal_drift(half, half, z.p, z.x) ? locate_velocity(z) : StepFailure::no_root;
  }
  const StepFailure failure = solver_.solve(unit_, z.x, [&](const Vec& x, Vec& residual, Mat* jacobian) {
    if (const StepFailure bad = locate_velocity(z); bad != StepFailure::none) return bad;
    if (jacobian != nullptr) set_jacobian(half, terms_.by_position(z), false, *jacobian);
    residual = x - start_ - half * (start_v_ + z.v);
    return StepFailure::none;
  });
  return failure != StepFailure::none ? failure : locate_velocity(z);
}

void GeneralizedLeapfrog::explicit_kick(double half, RiemannianPoint& z) {
  terms_.kinetic(z, w_);
  z.p -= half * (z.slope - 0.5 * w_);
  z.metric.solve(z.p, z.v);
}

StepFailure GeneralizedLeapfrog::step(double size, RiemannianPoint& z) {
  const double half = 0.5 * size;
  if (const auto failure = depart(half, z); failure != StepFailure::none) return failure;
  ++grad_evals_;
  z.u = potential(*target_, z.x, z.g);
  if (!std::isfinite(z.u)) return StepFailure::outside_support;
  return arrive(half, z);
}

StepFailure GeneralizedLeapfrog::depart(double half, RiemannianPoint& z) {
  origin_ = z.x;
  if (const auto failure = implicit_kick(half, z); failure != StepFailure::none) return failure;
  half_way_ = z.p;
  if (const auto failure = drift(half, z); failure != StepFailure::none) return failure;
  if (solver_.settings().reversal_checked() && !drifts_back(half, z)) return StepFailure::not_reversible;
  return StepFailure::none;
}

StepFailure GeneralizedLeapfrog::arrive(double half, RiemannianPoint& z) {
  set_slope(z);
  explicit_kick(half, z);
  if (!z.p.allFinite()) return StepFailure::not_finite;
  if (solver_.settings().reversal_checked() && !kicks_back(half, z)) return StepFailure::not_reversible;
  return StepFailure::none;
}

bool GeneralizedLeapfrog::drifts_back(double half, const RiemannianPoint& z) {
  back_.x = z.x;
  back_.p = -z.p;
  back_.v = -z.v;
  back_.metric = z.metric;
  return drift(half, back_) == StepFailure::none && has_returned(back_.x, origin_, unit_);
}

bool GeneralizedLeapfrog::kicks_back(double half, const RiemannianPoint& z) {
  back_.x = z.x;
  back_.p = -z.p;
  back_.slope = z.slope;
  back_.metric = z.metric;
  if (implicit_kick(half, back_) != StepFailure::none) return false;
  back_.p = -back_.p;
  return has_returned(back_.p, half_way_, unit_);
}

}  // namespace quasar
