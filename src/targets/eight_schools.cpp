#include "targets/eight_schools.hpp"

#include <cmath>

#include <quasar/errors.hpp>

#include "targets/checked.hpp"
#include "transforms/scalar_functions.hpp"

namespace quasar {

namespace {

enum Coordinate : Index { mu = 0, log_tau = 1, first_school = 2 };  // of x
constexpr double mu_scale = 5, tau_scale = 5;

}  // namespace

Layout EightSchools::layout() const { return {{{"theta", {schools}, {}}, {"mu", {}, {}}, {"tau", {}, {}}}, {}}; }

void EightSchools::constrain(In x, Out values, const Rng&) {
  const double tau = std::exp(x[log_tau]);
  const auto school = x.segment<schools>(first_school);
  if (centered_) {
    values.head<schools>() = school;
  } else {
    values.head<schools>() = x[mu] + tau * school.array();
  }
  values.tail<2>() << x[mu], tau;
}

void EightSchools::unconstrain(In values, Out x) const {
  const double location = values[schools], tau = values[schools + 1];
  if (tau <= 0) throw UsageError("eight-schools: tau must be positive");  // NaN: not given, and so in x
  x.head<2>() << location, std::log(tau);
  auto school = x.segment<schools>(first_school);
  if (centered_) {
    school = values.head<schools>();
  } else {
    school = (values.head<schools>().array() - location) / tau;
  }
}

// log N(mu | 0, 5^2) + log C+(tau | 0, 5) + log tau, the last being the Jacobian of tau = e^x; constants are dropped.
Eval EightSchools::prior(In x, Out grad, Want) {
  grad.setZero();
  const double s = 2 * (x[log_tau] - std::log(tau_scale));  // (tau / 5)^2 = e^s
  grad[mu] = -x[mu] / (mu_scale * mu_scale);
  grad[log_tau] = 1 - 2 * sigmoid(s);
  const double logp = 0.5 * x[mu] * grad[mu] - softplus(s) + x[log_tau];
  return checked(logp + school_prior(x, grad));
}

double EightSchools::school_prior(In x, Out grad) const {
  const auto school = x.segment<schools>(first_school);
  auto school_grad = grad.segment<schools>(first_school);
  if (!centered_) {
    school_grad = -school;
    return -0.5 * school.squaredNorm();
  }
  const double precision = std::exp(-2 * x[log_tau]);
  school_grad = precision * (x[mu] - school.array());
  const double squares = precision * (school.array() - x[mu]).square().sum();
  grad[mu] -= school_grad.sum();
  grad[log_tau] += squares - schools;
  return -0.5 * squares - schools * x[log_tau];
}

double EightSchools::school_scale(In x) const { return centered_ ? 1.0 : std::exp(x[log_tau]); }

double EightSchools::add_school(In x, double scale, Index school, double weight, Out grad) const {
  const auto i = static_cast<std::size_t>(school);
  const Index own = first_school + school;
  const double theta = centered_ ? x[own] : x[mu] + scale * x[own];
  const double z = (effect[i] - theta) / standard_error[i];
  const double slope = weight * z / standard_error[i];  // d logp / d theta
  grad[own] += slope * scale;
  if (!centered_) {
    grad[mu] += slope;
    grad[log_tau] += slope * scale * x[own];
  }
  return -0.5 * weight * z * z;
}

Eval EightSchools::add_terms(In x, std::span<const Index> ids, double weight, Out grad, Want) {
  const double scale = school_scale(x);
  double logp = 0;
  for (const Index school : ids) logp += add_school(x, scale, school, weight, grad);
  return checked(logp);
}

Eval EightSchools::add_range(In x, Index begin, Index end, double weight, Out grad, Want) {
  const double scale = school_scale(x);
  double logp = 0;
  for (Index school = begin; school < end; ++school) logp += add_school(x, scale, school, weight, grad);
  return checked(logp);
}

std::unique_ptr<Target> make_eight_schools(const Config& config, const Table*) {
  return std::make_unique<EightSchools>(config.text("parameterization") == "centered");
}

}  // namespace quasar
