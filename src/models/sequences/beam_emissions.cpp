#include "models/sequences/beam_emissions.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "core/running_moments.hpp"

namespace quasar {
namespace {

constexpr double least_positive = 1e-300;  // rates and probabilities may underflow

double draw_normal_centre(double observed, double sum, const BeamOptions& options, double variance, Stream& draws) {
  const double precision = observed / variance + 1 / options.centre_variance;
  return options.mean + sum / variance / precision + draws.normal() / std::sqrt(precision);
}

double draw_rate(double observed, double sum, const GammaPrior& prior, Stream& draws) {
  return std::max(least_positive, draws.gamma(prior.shape + sum) / (prior.rate + observed));
}

// x - mean ~ N(0, s^2 I + s_0^2 1 1^T), written with the sums of x - mean and of its squares.
double log_normal_evidence(double n, double sum, double squares, double variance, double centre_variance) {
  const double together = variance + n * centre_variance;
  return -n / 2 * std::log(2 * std::numbers::pi * variance) - std::log(together / variance) / 2 -
         (squares - sum * sum * centre_variance / together) / (2 * variance);
}

double log_count_evidence(double n, double sum, const GammaPrior& prior) {
  return std::lgamma(prior.shape + sum) - std::lgamma(prior.shape) + prior.shape * std::log(prior.rate) -
         (prior.shape + sum) * std::log(prior.rate + n);
}

double log_category_evidence(const StateSums& sums, Index k, double shape) {
  const auto categories = static_cast<double>(sums.sum.rows());
  double log_p = std::lgamma(categories * shape) - std::lgamma(categories * shape + sums.sum.col(k).sum());
  for (const double n : sums.sum.col(k)) log_p += std::lgamma(shape + n) - std::lgamma(shape);
  return log_p;
}

}  // namespace

StateSums state_sums(const Sequences& data, const BeamOptions& options, const BeamState& state) {
  const double origin = options.emission == Emission::normal ? options.mean : 0;
  StateSums sums;
  sums.observed = sums.sum = sums.squares = Mat::Zero(data.dim(), state.count());
  for (Index t = 0; t < data.size(); ++t) {
    const Index z = state.states[static_cast<std::size_t>(t)];
    for (Index i = 0; i < data.dim(); ++i) {
      const double x = data.values(i, t) - origin;
      if (std::isnan(x)) continue;
      sums.observed(i, z) += 1;
      sums.sum(i, z) += x;
      sums.squares(i, z) += x * x;
    }
  }
  return sums;
}

Vec draw_centre(const StateSums& sums, Index k, const BeamOptions& options, double variance, Stream& draws) {
  Vec centre(sums.sum.rows());
  if (options.emission == Emission::categorical) {
    draws.dirichlet((sums.sum.col(k).array() + options.category_prior).matrix(), centre);
    return centre.cwiseMax(least_positive);
  }
  for (Index i = 0; i < centre.size(); ++i) {
    centre[i] = options.emission == Emission::poisson
                    ? draw_rate(sums.observed(i, k), sums.sum(i, k), options.rate_prior, draws)
                    : draw_normal_centre(sums.observed(i, k), sums.sum(i, k), options, variance, draws);
  }
  return centre;
}

double draw_variance(const Sequences& data, const BeamOptions& options, const BeamState& state, Stream draws) {
  double squares = 0, values = 0;
  for (Index t = 0; t < data.size(); ++t) {
    const Index z = state.states[static_cast<std::size_t>(t)];
    for (Index i = 0; i < data.dim(); ++i) {
      const double away = data.values(i, t) - state.centres(i, z);
      if (std::isnan(away)) continue;
      squares += away * away;
      values += 1;
    }
  }
  const GammaPrior& prior = options.precision_prior;
  return (prior.rate + squares / 2) / draws.gamma(prior.shape + values / 2);
}

Mat log_likelihoods(const Sequences& data, const BeamOptions& options, const BeamState& state) {
  Mat costs(state.count(), data.size());
  divergences(data, options.emission, state.centres)(0, costs);
  const double scale = options.emission == Emission::normal ? 2 * state.variance : 1;
  return -costs / scale;
}

double log_evidence(const StateSums& sums, const BeamOptions& options, double variance) {
  double log_p = 0;
  for (Index k = 0; k < sums.sum.cols(); ++k) {
    if (options.emission == Emission::categorical) {
      log_p += log_category_evidence(sums, k, options.category_prior);
      continue;
    }
    for (Index i = 0; i < sums.sum.rows(); ++i) {
      const double n = sums.observed(i, k), sum = sums.sum(i, k);
      log_p += options.emission == Emission::poisson
                   ? log_count_evidence(n, sum, options.rate_prior)
                   : log_normal_evidence(n, sum, sums.squares(i, k), variance, options.centre_variance);
    }
  }
  return log_p;
}

BeamOptions default_beam_options(const Sequences& data, Emission emission) {
  RunningMoments values(1);
  for (const double x : data.values.reshaped()) {
    if (!std::isnan(x)) values.add(Vec::Constant(1, x));
  }
  const double mean = values.count() > 0 ? values.mean()[0] : 0, variance = values.variance()[0];
  BeamOptions options{.emission = emission, .learn_variance = true};
  options.mean = mean;
  options.variance = options.centre_variance = variance > 0 ? variance : 1;  // NaN of one value
  options.precision_prior = {1, options.variance / 100};
  options.rate_prior = {1, mean > 0 ? 1 / mean : 1};
  return options;
}

}  // namespace quasar
