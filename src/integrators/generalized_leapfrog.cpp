#include "integrators/generalized_leapfrog.hpp"

#include <cmath>

#include "integrators/potential.hpp"

namespace quasar {

namespace {

// The reverse of a converged step misses its start by rounding and the solver's tolerance, far less than this.
constexpr double return_tolerance = 1e-8;

bool near(const Vec& a, const Vec& b, const Vec& unit) {
  constexpr double rounding = 1e-13;
  const auto allowed = (return_tolerance * unit.array()).max(rounding * b.array().abs());
  return ((a - b).array().abs() <= allowed).all();
}

// J = I + factor M for a derivative M that is D x D, or D x 1 where it is diagonal.
void set_jacobian(double factor, const Mat& m, Mat& jacobian) {
  jacobian = factor * m;
  if (m.cols() == 1) {
    jacobian.array() += 1;
  } else {
    jacobian.diagonal().array() += 1;
  }
}

}  // namespace

GeneralizedLeapfrog::GeneralizedLeapfrog(Target& target, Geometry& geometry, ImplicitSettings settings)
    : target_(&target),
      geometry_(&geometry),
      solver_(target.dim(), settings),
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
  z.metric.inverse(weights_);
  geometry_->contract(z.x, weights_, z.slope);
  z.slope = z.g + 0.5 * z.slope;
}

void GeneralizedLeapfrog::refresh(Stream& noise, RiemannianPoint& z) {
  z.metric.draw(noise, z.p);
  z.metric.solve(z.p, z.v);
}

// w_i = v'(dG/dx_i)v = tr(vv' dG/dx_i).
void GeneralizedLeapfrog::momentum_terms(const RiemannianPoint& z) {
  if (z.metric.diagonal()) {
    weights_ = z.v.cwiseAbs2();
  } else {
    weights_.noalias() = z.v * z.v.transpose();
  }
  geometry_->contract(z.x, weights_, w_);
}

// Newton has the columns (dG/dx_i)v, and so w: dF_i/dp_j = delta_ij - half (G^-1 (dG/dx_i)v)_j. It starts behind the
// explicit part of the kick: from p itself a hard kick can lead it to the wrong root.
StepFailure GeneralizedLeapfrog::implicit_kick(double half, RiemannianPoint& z) {
  start_ = z.p;
  unit_ = z.metric.root_diagonal();
  if (solver_.settings().newton()) z.p -= half * z.slope;
  const StepFailure failure = solver_.solve(unit_, z.p, [&](const Vec& p, Vec& residual, Mat* jacobian) {
    z.metric.solve(p, z.v);
    if (jacobian == nullptr) {
      momentum_terms(z);
    } else {
      geometry_->directional(z.x, z.v, directional_);
      if (directional_.cols() == 1) {
        w_ = directional_.col(0).cwiseProduct(z.v);
      } else {
        w_.noalias() = directional_.transpose() * z.v;
      }
      z.metric.solve_columns(directional_);
      if (directional_.cols() > 1) directional_.transposeInPlace();
      set_jacobian(-half, directional_, *jacobian);
    }
    residual = p - start_ + half * (z.slope - 0.5 * w_);
    return StepFailure::none;
  });
  z.metric.solve(z.p, z.v);
  return failure;
}

// dF_i/dx'_j = delta_ij + half (G^-1 (dG/dx_j)v)_i at x'.
StepFailure GeneralizedLeapfrog::drift(double half, RiemannianPoint& z) {
  start_ = z.x;
  start_v_ = z.v;
  unit_ = z.metric.root_diagonal().cwiseInverse();
  const auto move = [&](const Vec& x) {
    if (!inside(target_->support(), x)) return StepFailure::outside_support;
    if (!z.metric.renew(*geometry_, x)) return StepFailure::not_positive_definite;
    z.metric.solve(z.p, z.v);
    return StepFailure::none;
  };
  const StepFailure failure = solver_.solve(unit_, z.x, [&](const Vec& x, Vec& residual, Mat* jacobian) {
    if (const StepFailure bad = move(x); bad != StepFailure::none) return bad;
    if (jacobian != nullptr) {
      geometry_->directional(x, z.v, directional_);
      z.metric.solve_columns(directional_);
      set_jacobian(half, directional_, *jacobian);
    }
    residual = x - start_ - half * (start_v_ + z.v);
    return StepFailure::none;
  });
  return failure != StepFailure::none ? failure : move(z.x);
}

void GeneralizedLeapfrog::explicit_kick(double half, RiemannianPoint& z) {
  momentum_terms(z);
  z.p -= half * (z.slope - 0.5 * w_);
  z.metric.solve(z.p, z.v);
}

StepFailure GeneralizedLeapfrog::arrive(RiemannianPoint& z) {
  ++grad_evals_;
  z.u = potential(*target_, z.x, z.g);
  if (!std::isfinite(z.u)) return StepFailure::outside_support;
  set_slope(z);
  return StepFailure::none;
}

StepFailure GeneralizedLeapfrog::step(double size, RiemannianPoint& z) {
  const double half = 0.5 * size;
  const bool check = solver_.settings().reversal_checked();
  origin_ = z.x;
  if (const auto failure = implicit_kick(half, z); failure != StepFailure::none) return failure;
  half_way_ = z.p;
  if (const auto failure = drift(half, z); failure != StepFailure::none) return failure;
  if (check && !drifts_back(half, z)) return StepFailure::not_reversible;
  if (const auto failure = arrive(z); failure != StepFailure::none) return failure;
  explicit_kick(half, z);
  if (!z.p.allFinite()) return StepFailure::not_finite;
  if (check && !kicks_back(half, z)) return StepFailure::not_reversible;
  return StepFailure::none;
}

bool GeneralizedLeapfrog::drifts_back(double half, const RiemannianPoint& z) {
  back_.x = z.x;
  back_.p = -z.p;
  back_.v = -z.v;
  back_.metric = z.metric;
  return drift(half, back_) == StepFailure::none && near(back_.x, origin_, unit_);
}

bool GeneralizedLeapfrog::kicks_back(double half, const RiemannianPoint& z) {
  back_.x = z.x;
  back_.p = -z.p;
  back_.slope = z.slope;
  back_.metric = z.metric;
  if (implicit_kick(half, back_) != StepFailure::none) return false;
  back_.p = -back_.p;
  return near(back_.p, half_way_, unit_);
}

}  // namespace quasar
