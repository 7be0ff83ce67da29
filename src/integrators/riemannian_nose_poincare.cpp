#include "integrators/riemannian_nose_poincare.hpp"

#include <cmath>

#include "integrators/potential.hpp"
#include "integrators/reciprocal_metric.hpp"

namespace quasar {

namespace {

// J + factor M, where M is diagonal (D x 1) or J is as full as M.
void add_scaled(double factor, const Mat& m, Mat& jacobian) {
  if (m.cols() == 1 && jacobian.cols() > 1) {
    jacobian.diagonal() += factor * m.col(0);
  } else {
    jacobian += factor * m;
  }
}

}  // namespace

RiemannianNosePoincare::RiemannianNosePoincare(Target& target, Geometry& geometry, ImplicitSettings settings,
                                               RiemannianThermostat thermostat)
    : target_(&target),
      geometry_(&geometry),
      thermostat_(thermostat),
      solver_(target.dim(), settings),
      scalar_solver_(1, {}),
      terms_(&geometry),
      start_(target.dim()),
      unit_(target.dim()),
      w_(target.dim()),
      border_(target.dim()),
      origin_(target.dim()),
      half_way_(target.dim()),
      scalar_(1),
      scalar_unit_(1),
      back_(target.dim(), geometry.diagonal()) {}

double RiemannianNosePoincare::inverse_mass(const Point& z) const {
  return std::exp(-thermostat_.exponent * z.metric.log_det()) / thermostat_.mass;
}

StepFailure RiemannianNosePoincare::locate(Point& z) {
  if (!z.metric.renew(*geometry_, z.x)) return StepFailure::not_positive_definite;
  set_slope(z);
  return StepFailure::none;
}

void RiemannianNosePoincare::set_slope(Point& z) {
  terms_.trace(z, z.t);
  z.slope = z.g + thermostat_.log_det_weight() * z.t;
}

void RiemannianNosePoincare::refresh(Stream& noise, Point& z) const {
  z.metric.draw(noise, z.p);
  z.p *= std::sqrt(thermostat_.temperature);
  z.metric.solve(z.p, z.v);
  z.q = std::sqrt(thermostat_.temperature / inverse_mass(z)) * noise.normal();
}

double RiemannianNosePoincare::energy(const Point& z) const {
  const double s = z.s();
  return z.u + z.p.dot(z.v) / (2 * s * s) + 0.5 * z.q * z.q * inverse_mass(z) +
         thermostat_.log_det_weight() * z.metric.log_det() + thermostat_.degrees * thermostat_.temperature * z.log_s;
}

double RiemannianNosePoincare::level(double half, const Point& z) const {
  return z.q + half * (z.reference - z.u - thermostat_.log_det_weight() * z.metric.log_det() -
                       thermostat_.degrees * thermostat_.temperature * (1 + z.log_s));
}

double RiemannianNosePoincare::root_of_q(double half, double level, const Point& z) const {
  const double s = z.s(), light = inverse_mass(z);
  const double damped = 1 + half * thermostat_.thermostat_friction * s * light;
  return near_root(damped, half * light, level + half * z.p.dot(z.v) / (2 * s * s));
}

StepFailure RiemannianNosePoincare::implicit_kick(double half, Point& z) {
  unit_ = z.metric.root_diagonal();
  start_ = z.p - half * z.s() * z.slope;
  return solver_.settings().closed_form() ? solve_thermostat(half, z) : solve_momentum(half, z);
}

// dF_i/dp_j = delta_ij - (half/s) (G^-1 (dG/dx_i)v)_j + half B (G^-1)_ij/sqrt(s) - half s (a q/Q_G) t_i dq/dp_j,
// dq/dp_j = half v_j/s^2 / (1 + half A s/Q_G + half q/Q_G). Newton starts behind the explicit part of the kick.
StepFailure RiemannianNosePoincare::solve_momentum(double half, Point& z) {
  const double s = z.s(), light = inverse_mass(z), base = level(half, z);
  const double lift = half * s * thermostat_.exponent * light, damping = half * thermostat_.friction / std::sqrt(s);
  const auto write_jacobian = [&](Mat& jacobian) {
    set_jacobian(-half / s, terms_.by_momentum(z, w_), lift != 0, jacobian);
    if (damping != 0) {
      z.metric.inverse(inverse_);
      add_scaled(damping, inverse_, jacobian);
    }
    if (lift != 0) {
      const double stiffness = 1 + half * light * (thermostat_.thermostat_friction * s + z.q);
      border_ = (lift * z.q * half / (s * s * stiffness)) * z.t;
      jacobian.noalias() -= border_ * z.v.transpose();
    }
  };
  if (solver_.settings().newton()) z.p = start_;
  const StepFailure failure = solver_.solve(unit_, z.p, [&](const Vec& p, Vec& residual, Mat* jacobian) {
    z.metric.solve(p, z.v);
    z.q = root_of_q(half, base, z);
    if (std::isnan(z.q)) return StepFailure::no_root;
    if (jacobian != nullptr) {
      write_jacobian(*jacobian);
    } else {
      terms_.kinetic(z, w_);
    }
    residual = p - start_ - half / (2 * s) * w_ - 0.5 * lift * z.q * z.q * z.t + damping * z.v;
    return StepFailure::none;
  });
  if (failure != StepFailure::none) return failure;
  z.metric.solve(z.p, z.v);
  z.q = root_of_q(half, base, z);
  return std::isnan(z.q) ? StepFailure::no_root : StepFailure::none;
}

// p~ of this q~: (half/s) p~^2/2 + (1 + half B x/sqrt(s)) p~ = k + half s (a q~^2/(2 Q_G)) t, k the explicit part of
// the kick. What is left is one equation F(q~) = 0, and where a = 0 not even that.
StepFailure RiemannianNosePoincare::solve_thermostat(double half, Point& z) {
  const double s = z.s(), light = inverse_mass(z), base = level(half, z);
  const double lift = half * s * thermostat_.exponent * light, damping = half * thermostat_.friction / std::sqrt(s);
  const auto set_momentum = [&](double q) {
    for (Index i = 0; i < z.p.size(); ++i) {
      z.p[i] = near_root(1 + damping * z.x[i], half / s, start_[i] + 0.5 * lift * q * q * z.t[i]);
    }
    z.metric.solve(z.p, z.v);
    return z.p.allFinite() ? StepFailure::none : StepFailure::no_root;
  };
  scalar_[0] = z.q;
  if (lift != 0) {
    const double damped = 1 + half * thermostat_.thermostat_friction * s * light;
    scalar_unit_[0] = 1 / std::sqrt(light);
    const auto equation = [&](const Vec& unknown, Vec& residual, Mat* jacobian) {
      const double q = unknown[0];
      if (const StepFailure failure = set_momentum(q); failure != StepFailure::none) return failure;
      const auto by_q = lift * q * z.t.array() / (1 + damping * z.x.array() + half / s * z.p.array());
      residual[0] = damped * q + 0.5 * half * light * q * q - base - half * z.p.dot(z.v) / (2 * s * s);
      jacobian->setConstant(1, 1, damped + half * light * q - half / (s * s) * (z.v.array() * by_q).sum());
      return StepFailure::none;
    };
    const StepFailure failure = scalar_solver_.solve(scalar_unit_, scalar_, equation);
    if (failure != StepFailure::none) return failure;
  }
  if (const StepFailure failure = set_momentum(scalar_[0]); failure != StepFailure::none) return failure;
  z.q = root_of_q(half, base, z);
  return std::isnan(z.q) ? StepFailure::no_root : StepFailure::none;
}

void RiemannianNosePoincare::explicit_kick(double half, Point& z) {
  const double s = z.s(), light = inverse_mass(z), kinetic = z.p.dot(z.v) / (2 * s * s);
  const double friction = thermostat_.friction / std::sqrt(s);
  const double thermostat_friction = thermostat_.thermostat_friction * s * light * z.q;
  terms_.kinetic(z, w_);
  z.p +=
      half * (w_ / (2 * s) - s * z.slope + 0.5 * s * thermostat_.exponent * light * z.q * z.q * z.t - friction * z.v);
  z.q = level(half, z) + half * (kinetic - 0.5 * light * z.q * z.q - thermostat_friction);
  z.metric.solve(z.p, z.v);
}

StepFailure RiemannianNosePoincare::drift(double half, Point& z) {
  unit_ = z.metric.root_diagonal().cwiseInverse();
  return solver_.settings().closed_form() ? solve_scale(half, z) : solve_position(half, z);
}

StepFailure RiemannianNosePoincare::locate_velocity(Point& z) {
  if (!inside(target_->support(), z.x)) return StepFailure::outside_support;
  if (!z.metric.renew(*geometry_, z.x)) return StepFailure::not_positive_definite;
  z.metric.solve(z.p, z.v);
  return StepFailure::none;
}

// s'/s = grown/shrunk. dF_i/dx'_j = delta_ij + (half/s') (G^-1 (dG/dx_j)v)_i - half v_i d(1/s')/dx'_j at x'.
StepFailure RiemannianNosePoincare::solve_position(double half, Point& z) {
  const double s = z.s(), push = half * z.q, grown = 1 + push * inverse_mass(z);
  if (!(grown > 0)) return StepFailure::no_root;
  start_ = z.x + (half / s) * z.v;
  double shrunk = 1;
  const auto go_there = [&] {
    if (const StepFailure failure = locate_velocity(z); failure != StepFailure::none) return failure;
    shrunk = 1 - push * inverse_mass(z);
    return shrunk > 0 ? StepFailure::none : StepFailure::no_root;
  };
  const bool varies = thermostat_.exponent != 0;
  StepFailure failure = solver_.solve(unit_, z.x, [&](const Vec& x, Vec& residual, Mat* jacobian) {
    if (const StepFailure bad = go_there(); bad != StepFailure::none) return bad;
    const double back = half * shrunk / (grown * s);
    if (jacobian != nullptr) {
      set_jacobian(back, terms_.by_position(z), varies, *jacobian);
      if (varies) {
        terms_.trace(z, z.t);
        border_ = (half * push * thermostat_.exponent * inverse_mass(z) / (grown * s)) * z.v;
        jacobian->noalias() -= border_ * z.t.transpose();
      }
    }
    residual = x - start_ - back * z.v;
    return StepFailure::none;
  });
  if (failure == StepFailure::none) failure = go_there();
  z.log_s += std::log(grown / shrunk);
  return failure;
}

// x' of this r = s'/s is explicit; r solves r (1 - half q~/Q_G') = 1 + half q~/Q_G, where Q_G' is constant if a = 0.
StepFailure RiemannianNosePoincare::solve_scale(double half, Point& z) {
  const double a = thermostat_.exponent, forth = half / z.s();
  const double push = half * z.q, light = inverse_mass(z), grown = 1 + push * light;
  double ratio = grown / (1 - push * light);
  if (a != 0) {
    scalar_[0] = std::exp(2 * push * light);
    scalar_unit_[0] = 1;
    const auto equation = [&](const Vec& unknown, Vec& residual, Mat* jacobian) {
      const double r = unknown[0];
      const auto back = forth / r * z.p.array();
      const double growth = ((1 + forth * z.p.array()).log() - (1 - back).log()).sum();  // of log |G|^-1
      const double pull = push * light * std::exp(a * growth);
      residual[0] = r * (1 - pull) - grown;
      jacobian->setConstant(1, 1, 1 - pull + pull * a * (back / (1 - back)).sum());
      return std::isfinite(residual[0]) ? StepFailure::none : StepFailure::no_root;
    };
    const StepFailure failure = scalar_solver_.solve(scalar_unit_, scalar_, equation);
    if (failure != StepFailure::none) return failure;
    ratio = scalar_[0];
  }
  if (!(grown > 0 && ratio > 0) || !reciprocal_drift(forth, forth / ratio, z.p, z.x)) return StepFailure::no_root;
  z.log_s += std::log(ratio);
  return locate_velocity(z);
}

StepFailure RiemannianNosePoincare::step(double size, Point& z) {
  const double half = 0.5 * size;
  if (const auto failure = depart(half, z); failure != StepFailure::none) return failure;
  ++grad_evals_;
  z.u = potential(*target_, z.x, z.g);
  if (!std::isfinite(z.u)) return StepFailure::outside_support;
  return arrive(half, z);
}

StepFailure RiemannianNosePoincare::depart(double half, Point& z) {
  origin_ = z.x;
  origin_log_s_ = z.log_s;
  if (const auto failure = implicit_kick(half, z); failure != StepFailure::none) return failure;
  half_way_ = z.p;
  half_way_q_ = z.q;
  if (const auto failure = drift(half, z); failure != StepFailure::none) return failure;
  if (!std::isfinite(z.log_s)) return StepFailure::not_finite;
  if (solver_.settings().reversal_checked() && !drifts_back(half, z)) return StepFailure::not_reversible;
  return StepFailure::none;
}

StepFailure RiemannianNosePoincare::arrive(double half, Point& z) {
  set_slope(z);
  explicit_kick(half, z);
  if (!z.p.allFinite() || !std::isfinite(z.q)) return StepFailure::not_finite;
  if (solver_.settings().reversal_checked() && !kicks_back(half, z)) return StepFailure::not_reversible;
  return StepFailure::none;
}

bool RiemannianNosePoincare::drifts_back(double half, const Point& z) {
  back_ = z;
  back_.turn();
  return drift(half, back_) == StepFailure::none && has_returned(back_.x, origin_, unit_) &&
         std::abs(back_.log_s - origin_log_s_) <= return_tolerance;
}

bool RiemannianNosePoincare::kicks_back(double half, const Point& z) {
  back_ = z;
  back_.turn();
  if (implicit_kick(half, back_) != StepFailure::none) return false;
  back_.turn();
  return has_returned(back_.p, half_way_, unit_) &&
         std::abs(back_.q - half_way_q_) * std::sqrt(inverse_mass(z)) <= return_tolerance;
}

}  // namespace quasar
