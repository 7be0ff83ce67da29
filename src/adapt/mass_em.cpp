#include "adapt/mass_em.hpp"

#include <boost/math/distributions/normal.hpp>
#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include <quasar/errors.hpp>

namespace quasar {

namespace {

constexpr double momentum_ridge = 1e-10;  // of the covariance of momenta, relative to their mean square

double quantile(double alpha) {  // |z| exceeds it with probability alpha
  return boost::math::quantile(boost::math::complement(boost::math::normal(), alpha / 2));
}

Mat inverse_of(const MassMatrix& mass) {
  Mat inverse;
  mass.inverse(inverse);
  return inverse;
}

[[noreturn]] void throw_run_away(std::int64_t updates) {
  throw Diverged(fmt::format(
      "the learned mass has run away: at M-step {} the momenta have no covariance that is finite and positive. Try a "
      "smaller step_size, em_max_change=2 or, of a thermostat, variant=a",
      updates));
}

}  // namespace

void check_mass_em(const MassEmSettings& settings, Index dim, bool diagonal) {
  const Index d = diagonal ? 1 : dim;
  if (settings.samples > d + 1) return;
  throw UsageError(fmt::format(
      "em_samples={} momenta cannot tell a {} mass of {} coordinates: more than {} are needed{}", settings.samples,
      diagonal ? "diagonal" : "dense", dim, d + 1, diagonal ? "" : ", or mass_shape=diagonal"));
}

namespace {

// What a decomposition is made of before there is anything to decompose: Eigen's are not to be moved while they are
// empty.
Mat identity_for(const MassMatrix& mass) {
  const Index dim = mass.diagonal() ? 1 : mass.dim();
  return Mat::Identity(dim, dim);
}

}  // namespace

MassEm::MassEm(const MassMatrix& start, const MassEmSettings& settings, double thermostat_mass)
    : settings_(settings),
      diagonal_(start.diagonal()),
      z_(quantile(settings.alpha)),
      samples_(settings.samples),
      inverse_(inverse_of(start)),
      products_(Mat::Zero(inverse_.rows(), inverse_.cols())),
      thermostat_mass_(thermostat_mass),
      test_(start.dim(), diagonal_),
      estimate_(products_),
      work_(products_),
      factor_(identity_for(start)),
      eigen_(identity_for(start)) {}

void MassEm::add(const MomentumSample& sample, MassMatrix& mass, const Rng& rng) {
  if (iteration_ == settings_.iterations) return;
  ++iteration_;
  if (!sample.p.allFinite()) return;
  ++learned_;
  if (diagonal_) {
    products_.col(0) += sample.p.cwiseAbs2();
  } else {
    products_.noalias() += sample.p * sample.p.transpose();
  }
  thermostat_squares_ += sample.q * sample.q;
  if (settings_.growth > 0) add_to_test(sample, rng);
  if (learned_ == samples_) renew(mass);
}

void MassEm::add_to_test(const MomentumSample& sample, const Rng& rng) {
  if (learned_ == 1) skip_to_next(rng);
  if (learned_ < next_tested_) return;
  test_.add(sample, inverse_);
  ++tested_;
  skip_to_next(rng);
}

// One iteration may come here twice: the count in the name keeps the two distances independent.
void MassEm::skip_to_next(const Rng& rng) {
  ++next_tested_;
  if (!settings_.subsample) return;
  const auto number = static_cast<double>(tested_ + 1);
  const Rng name = rng.child("offset", static_cast<std::uint64_t>(tested_));
  next_tested_ += name.stream("poisson").poisson(settings_.rate * std::pow(number, settings_.power));
}

double MassEm::correction(Index dim) const {
  const auto s = static_cast<double>(samples_);
  return settings_.corrected ? (s - static_cast<double>(dim) - 1) / s : 1;
}

double MassEm::kappa() const {
  const auto k = static_cast<double>(updates_);
  return settings_.exponent > 0 ? std::pow(k, -settings_.exponent) : 1 / (k + 1);
}

// (1 - kappa) + kappa ratio <= c for the largest ratio, and 1 - kappa >= 1/c for the smallest, which is above 0.
double MassEm::limited(double kappa, double ratio) const {
  const double c = settings_.max_change;
  if (c == 0) return kappa;
  if (ratio > 1) kappa = std::min(kappa, (c - 1) / (ratio - 1));
  return std::min(kappa, 1 - 1 / c);
}

void MassEm::renew(MassMatrix& mass) {
  ++updates_;
  if (!estimate(mass)) throw_run_away(updates_);
  work_ = limited(kappa(), largest_ratio_) * (estimate_ - inverse_);
  const bool lost_in_noise = settings_.growth > 0 && test_.covers(work_, z_);
  inverse_ += work_;
  if (!invert(inverse_, work_) || !mass.set(work_)) throw_run_away(updates_);
  if (thermostat_mass_ > 0) renew_thermostat();
  if (lost_in_noise) samples_ += (samples_ + settings_.growth - 1) / settings_.growth;
  learned_ = tested_ = next_tested_ = 0;
  products_.setZero();
  test_.reset();
}

bool MassEm::invert(const Mat& m, Mat& out) {
  if (diagonal_) {
    out = m.cwiseInverse();
    return true;
  }
  factor_.compute(m);
  if (factor_.info() != Eigen::Success) return false;
  out.setIdentity();
  factor_.solveInPlace(out);
  return true;
}

void MassEm::renew_thermostat() {
  const double estimate = correction(1) * settings_.temperature * static_cast<double>(learned_) / thermostat_squares_;
  const double weight = limited(kappa(), estimate * thermostat_mass_);
  const double inverse = (1 - weight) / thermostat_mass_ + weight * estimate;
  if (!(std::isfinite(inverse) && inverse > 0)) throw Diverged("the learned mass of the thermostat has run away");
  thermostat_mass_ = 1 / inverse;
  thermostat_squares_ = 0;
}

bool MassEm::estimate(const MassMatrix& mass) {
  products_ /= settings_.temperature * static_cast<double>(learned_);
  if (!products_.allFinite()) return false;
  if (!diagonal_) return estimate_dense(mass);
  products_.array() += momentum_ridge * products_.mean();
  if (!(products_.minCoeff() > 0)) return false;
  estimate_ = correction(1) * products_.cwiseInverse();
  largest_ratio_ = mass.matrix().cwiseProduct(estimate_).maxCoeff();
  return true;
}

// The ratios are the eigenvalues of L^-1 M L^-T, where LL' is the covariance of the momenta.
bool MassEm::estimate_dense(const MassMatrix& mass) {
  const Index dim = products_.rows();
  products_.diagonal().array() += momentum_ridge * products_.trace() / static_cast<double>(dim);
  if (!invert(products_, estimate_)) return false;
  estimate_ *= correction(dim);
  if (settings_.max_change == 0) return true;
  work_ = mass.matrix();
  factor_.matrixL().solveInPlace(work_);
  work_.transposeInPlace();
  factor_.matrixL().solveInPlace(work_);
  eigen_.compute(work_, Eigen::EigenvaluesOnly);
  largest_ratio_ = correction(dim) * eigen_.eigenvalues()[dim - 1];
  return true;
}

}  // namespace quasar
