#include "models/sequences/state_laws.hpp"

#include <cmath>
#include <numbers>

#include "models/sequences/viterbi.hpp"

namespace quasar {
namespace {

constexpr double least_share = 1e-6;  // of the variance of the data

double or_one(double variance) { return variance > 0 ? variance : 1; }  // values that are all the same

// log p + D of a Poisson law, where the divergence D is x log(x / m) - x + m.
double beyond_divergence(double x) {
  return std::isnan(x) ? 0 : (x > 0 ? x * std::log(x) : 0) - x - std::lgamma(x + 1);
}

}  // namespace

StateLaws::StateLaws(const Sequences& data, Emission emission, StateCovariance covariance)
    : data_(data),
      emission_(emission),
      full_(emission == Emission::normal && covariance == StateCovariance::full),
      shared_(covariance == StateCovariance::shared),
      filled_(data.values.array().isNaN().select(0, data.values)),
      seen_((!data.values.array().isNaN()).cast<double>()) {
  if (full_) groups_ = group_by_seen(data.values);
  if (emission == Emission::poisson) {
    without_centres_ = data.values.unaryExpr(&beyond_divergence).colwise().sum().transpose();
  }
  const Vec counts = seen_.rowwise().sum().cwiseMax(1);
  const Vec means = filled_.rowwise().sum().cwiseQuotient(counts);
  const Vec sums = (filled_.colwise() - means).cwiseProduct(seen_).rowwise().squaredNorm();
  variances_ = sums.cwiseQuotient(counts).unaryExpr(&or_one);
  variance_ = or_one(sums.sum() / counts.sum());
}

Mat StateLaws::log_densities(const HmmModel& model) const {
  const Index states = model.centres.cols();
  Mat all(states, data_.size());
  if (full_) {
    for (Index k = 0; k < states; ++k) {
      all.row(k) = quasar::log_densities(data_.values, groups_, model.centres.col(k),
                                         model.covariances[static_cast<std::size_t>(k)]);
    }
    return all;
  }
  divergences(data_, emission_, model.centres)(0, all);
  if (emission_ == Emission::categorical) return -all;
  if (emission_ == Emission::poisson) return (-all).rowwise() + without_centres_.transpose();
  const Vec variances = shared_ ? Vec::Constant(states, model.variances[0]) : model.variances;
  const Vec log_scales = 0.5 * (2 * std::numbers::pi * variances.array()).log();
  all = (-0.5 * variances.cwiseInverse()).asDiagonal() * all;
  all.noalias() -= log_scales * seen_.colwise().sum();
  return all;
}

void StateLaws::maximize(const Mat& weights, HmmModel& model) const {
  if (full_) return maximize_matrices(weights, model);
  const Mat totals = seen_ * weights.transpose(), sums = filled_ * weights.transpose();
  model.centres = (totals.array() > 0).select(sums.array() / totals.array(), model.centres.array());
  if (emission_ == Emission::normal) maximize_variances(weights, totals.colwise().sum().transpose(), model);
}

void StateLaws::maximize_variances(const Mat& weights, In totals, HmmModel& model) const {
  Mat squares(weights.rows(), weights.cols());
  divergences(data_, emission_, model.centres)(0, squares);
  const Vec sums = squares.cwiseProduct(weights).rowwise().sum();
  if (shared_) {
    if (totals.sum() > 0) model.variances[0] = sums.sum() / totals.sum();
  } else {
    model.variances = (totals.array() > 0).select(sums.array() / totals.array(), model.variances.array());
  }
  model.variances = model.variances.cwiseMax(least_share * variance_);
}

void StateLaws::maximize_matrices(const Mat& weights, HmmModel& model) const {
  for (Index k = 0; k < weights.rows(); ++k) {
    Mat& covariance = model.covariances[static_cast<std::size_t>(k)];
    const NormalMoments moments =
        expected_moments(data_.values, groups_, weights.row(k).transpose(), model.centres.col(k), covariance);
    if (moments.weight <= 0) continue;
    model.centres.col(k) = moments.mean;
    covariance = with_floor(moments.covariance, variances_, least_share);
  }
}

void StateLaws::spread_out(HmmModel& model) const {
  const Index states = model.centres.cols();
  if (full_) {
    model.covariances.assign(static_cast<std::size_t>(states), variances_.asDiagonal());
  } else {
    model.variances = Vec::Constant(shared_ ? 1 : states, variance_);
  }
}

void StateLaws::raise_to_floor(HmmModel& model) const {
  model.variances = model.variances.cwiseMax(least_share * variance_);
  for (Mat& covariance : model.covariances) covariance = with_floor(covariance, variances_, least_share);
}

}  // namespace quasar
