#include "models/factorization/diagonal_prior.hpp"

#include <cmath>

#include "models/factorization/log_precisions.hpp"

namespace quasar {

double DiagonalPrior::evaluate(const ConstRows& rows, In h, Eigen::Ref<Mat> row_slopes, Out h_slopes) {
  double logp = 0;
  row_slopes = h.head(width_).replicate(1, rows.cols()) - rows;  // mu - u
  for (Index k = 0; k < width_; ++k) {
    const double mu = h[k], v = h[width_ + k], lambda = std::exp(v);
    auto slopes = row_slopes.row(k);
    const double squares = slopes.squaredNorm() + strength_ * mu * mu;
    const PrecisionTerm term(v, prior_, static_cast<double>(rows.cols() + 1), squares);
    h_slopes[k] = -lambda * (slopes.sum() + strength_ * mu);
    h_slopes[width_ + k] = term.slope;
    slopes *= lambda;
    logp += term.logp;
  }
  return logp;
}

void DiagonalPrior::draw(const ConstRows& rows, In, Out out, Stream& stream) {
  const auto n = static_cast<double>(rows.cols());
  for (Index k = 0; k < width_; ++k) {
    const auto column = rows.row(k);
    const double mean = column.mean();
    const double squares = (column.array() - mean).square().sum() + strength_ * n * mean * mean / (strength_ + n);
    double& v = out[width_ + k];
    v = draw_log_precision(prior_, n, squares, stream);
    expect_believable(v, prior_);
    out[k] = n * mean / (strength_ + n) + stream.normal() * std::exp(-v / 2) / std::sqrt(strength_ + n);
  }
}

void DiagonalPrior::start(Out h) const {
  h.head(width_).setZero();
  h.tail(width_).setConstant(log_mean(prior_));
}

std::vector<Variable> DiagonalPrior::variables(const std::string& side) const {
  return {{side + "_mean", {width_}, {"factor_or_bias"}}, {side + "_precision", {width_}, {"factor_or_bias"}}};
}

void DiagonalPrior::constrain(In h, Out values) const {
  values.head(width_) = h.head(width_);
  values.tail(width_) = h.tail(width_).array().exp();
}

void DiagonalPrior::unconstrain(In values, Out h) const {
  h.head(width_) = values.head(width_);
  h.tail(width_) = logs_of_precisions(values.tail(width_));
}

}  // namespace quasar
