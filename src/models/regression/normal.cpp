#include "models/regression/normal.hpp"

#include <boost/math/special_functions/digamma.hpp>
#include <boost/math/special_functions/trigamma.hpp>

#include <cmath>
#include <limits>
#include <utility>

#include <quasar/errors.hpp>
#include <quasar/rng.hpp>

#include "models/regression/column_choice.hpp"
#include "models/regression/columns.hpp"
#include "targets/checked.hpp"

namespace quasar {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

}  // namespace

struct NormalModel::Sums {
  double count, deviations = 0, squares = 0;  // deviations: from the mean of all observations

  void add(In block) {
    deviations += block.sum();
    squares += block.squaredNorm();
  }
};

NormalModel::NormalModel(Observations observations, PrecisionPrior prior, Coordinates coordinates,
                         NormalGeometry::Fisher fisher)
    : observations_(std::move(observations)),
      n_(static_cast<double>(observations_.size())),
      mean_(observations_.mean()),
      prior_(prior),
      coordinates_(coordinates),
      shape_(0.5 * (n_ + prior_.degrees - 1)),
      rate_(0.5 * (observations_.squares() + 1 / prior_.scale)),
      geometry_({n_, mean_, prior.degrees, natural()}, fisher) {}

double NormalModel::tau(In x) const { return natural() ? x[1] : std::exp(x[1]); }

void NormalModel::constrain(In x, Out values, const Rng&) { values << x[0], tau(x); }

void NormalModel::unconstrain(In values, Out x) const {
  if (values[1] <= 0) throw UsageError("normal: tau must be positive");  // NaN: not given, and so in x
  x << values[0], natural() ? values[1] : std::log(values[1]);
}

std::span<const Interval> NormalModel::support() const {
  static constexpr Interval tau_positive[] = {{-infinity, infinity}, {0, infinity}};
  return natural() ? std::span<const Interval>(tau_positive) : std::span<const Interval>();
}

// In log tau the derivative is tau times that in tau, and the Jacobian adds log tau.
Eval NormalModel::prior(In x, Out grad, Want) {
  const double t = tau(x);
  if (!(t > 0)) return {-infinity, false};
  const double power = prior_.degrees / 2 - 1 + (natural() ? 0 : 1);
  const double log_derivative = power - t / (2 * prior_.scale);
  grad[0] = 0;
  grad[1] = natural() ? log_derivative / t : log_derivative;
  return checked(power * (natural() ? std::log(t) : x[1]) - t / (2 * prior_.scale));
}

// The sum over observations of log(tau)/2 - tau (x_i - mu)^2 / 2, from the count, the sum and the sum of squares.
Eval NormalModel::add(In x, const Sums& sums, double weight, Out grad) const {
  const double t = tau(x);
  if (!(t > 0)) return {-infinity, false};
  const double shift = x[0] - mean_;
  const double squares = sums.squares - 2 * shift * sums.deviations + sums.count * shift * shift;
  const double log_derivative = 0.5 * weight * (sums.count - t * squares);
  grad[0] += weight * t * (sums.deviations - sums.count * shift);
  grad[1] += natural() ? log_derivative / t : log_derivative;
  return checked(0.5 * weight * (sums.count * (natural() ? std::log(t) : x[1]) - t * squares));
}

Eval NormalModel::add_terms(In x, std::span<const Index> ids, double weight, Out grad, Want) {
  Sums sums{static_cast<double>(ids.size())};
  observations_.each_of_terms(ids, [&](In block) { sums.add(block); });
  return add(x, sums, weight, grad);
}

Eval NormalModel::add_range(In x, Index begin, Index end, double weight, Out grad, Want) {
  Sums sums{static_cast<double>(end - begin)};
  observations_.each_of_range(begin, end, [&](In block) { sums.add(block); });
  return add(x, sums, weight, grad);
}

// With d = mu - mean, U = n tau d^2/2 + rate tau - power log tau, where power = shape - 1/2 in tau. In log tau the last
// term is linear, and the second derivative is U's first two terms.
void NormalModel::second_derivatives(In x, Mat& h) {
  const double t = tau(x), d = x[0] - mean_;
  const double cross = natural() ? n_ * d : n_ * d * t;
  h.resize(2, 2);
  h << n_ * t, cross, cross, natural() ? (shape_ - 0.5) / (t * t) : t * (rate_ + 0.5 * n_ * d * d);
}

void NormalModel::third_derivatives(In x, const Mat& b, Out out) {
  const double t = tau(x), d = x[0] - mean_;
  const double mu_mu_tau = natural() ? n_ : n_ * t;
  const double mu_tau_tau = natural() ? 0 : n_ * d * t;
  const double tau_tau_tau = natural() ? (1 - 2 * shape_) / (t * t * t) : t * (rate_ + 0.5 * n_ * d * d);
  out[0] = 2 * b(0, 1) * mu_mu_tau + b(1, 1) * mu_tau_tau;
  out[1] = b(0, 0) * mu_mu_tau + 2 * b(0, 1) * mu_tau_tau + b(1, 1) * tau_tau_tau;
}

void NormalModel::draw(const Rng& rng, Out x) const {
  const double t = rng.stream("tau").gamma(shape_) / rate_;
  x << mean_ + rng.stream("mu").normal() / std::sqrt(n_ * t), natural() ? t : std::log(t);
}

// mu is Student t with 2 shape degrees of freedom; tau is Gamma, its logarithm has the polygamma moments.
Moments NormalModel::moments() const {
  const double mu_variance = shape_ > 1 ? rate_ / ((shape_ - 1) * n_) : infinity;
  if (natural()) return {Vec{{mean_, shape_ / rate_}}, Vec{{mu_variance, shape_ / (rate_ * rate_)}}};
  return {Vec{{mean_, boost::math::digamma(shape_) - std::log(rate_)}},
          Vec{{mu_variance, boost::math::trigamma(shape_)}}};
}

std::unique_ptr<Target> make_normal(const Config& config, const Table* data) {
  const Table& table = require_table(data, "normal");
  require_rows(table);
  const auto coordinates = config.text("coordinates") == "natural" ? NormalModel::Coordinates::natural
                                                                   : NormalModel::Coordinates::unconstrained;
  const PrecisionPrior prior{config.real("prior_degrees"), config.real("prior_scale")};
  const auto fisher =
      config.text("fisher") == "observed" ? NormalGeometry::Fisher::observed : NormalGeometry::Fisher::expected;
  const Index column = find_column(table.source, table.names, config.text("target"));
  require_numbers(table, column);
  return std::make_unique<NormalModel>(Observations(table, column), prior, coordinates, fisher);
}

}  // namespace quasar
