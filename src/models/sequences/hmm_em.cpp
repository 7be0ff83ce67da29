#include "models/sequences/hmm_em.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "models/sequences/starts.hpp"

namespace quasar {
namespace {

constexpr double least_gain = 1e-6;      // relative
constexpr double variance_floor = 1e-6;  // of the variance of all values: a state of equal points would have none

double log_density(Emission emission, In point, In centre, double variance) {
  if (emission == Emission::categorical) return -divergence(emission, point, centre);
  double sum = 0;
  for (Index i = 0; i < point.size(); ++i) {
    const double x = point[i];
    if (std::isnan(x)) continue;
    if (emission == Emission::poisson) {
      sum += (x > 0 ? x * std::log(centre[i]) : 0) - centre[i] - std::lgamma(x + 1);
    } else {
      sum -= 0.5 * (x - centre[i]) * (x - centre[i]) / variance + 0.5 * std::log(2 * std::numbers::pi * variance);
    }
  }
  return sum;
}

double variance_of(const HmmModel& model, Index state) {
  return model.variances[model.variances.size() == 1 ? 0 : state];
}

// exp(log p(x_t | z_t) - shift_t), so that the largest of each point is 1.
struct Densities {
  Mat scaled;
  Vec shifts;
};

Densities densities(const Sequences& data, Emission emission, const HmmModel& model) {
  Densities all{Mat(model.centres.cols(), data.size()), Vec(data.size())};
  for (Index t = 0; t < data.size(); ++t) {
    for (Index k = 0; k < model.centres.cols(); ++k) {
      all.scaled(k, t) = log_density(emission, data.values.col(t), model.centres.col(k), variance_of(model, k));
    }
    all.shifts[t] = all.scaled.col(t).maxCoeff();
    all.scaled.col(t) = (all.scaled.col(t).array() - all.shifts[t]).exp();
  }
  return all;
}

struct Forward {
  Mat filtered;
  Vec scales;  // p(x_t | x_1 .. x_{t-1}) up to the shifts
  double log_likelihood = 0;
};

Forward forward(const Sequences& data, const HmmModel& model, const Densities& p) {
  Forward all{Mat(p.scaled.rows(), data.size()), Vec(data.size()), 0};
  for (Index s = 0; s < data.count(); ++s) {
    const Index begin = data.starts[static_cast<std::size_t>(s)];
    for (Index t = begin; t < data.end(s); ++t) {
      const Vec before = t == begin ? model.initial : Vec(model.transition.transpose() * all.filtered.col(t - 1));
      all.filtered.col(t) = before.cwiseProduct(p.scaled.col(t));
      all.scales[t] = all.filtered.col(t).sum();
      all.filtered.col(t) /= all.scales[t];
    }
  }
  all.log_likelihood = all.scales.array().log().sum() + p.shifts.sum();
  return all;
}

// What the M step needs: how often each state starts, follows each other one, and has each point.
struct Expected {
  Vec initial;
  Mat transition, states;
};

Expected expected(const Sequences& data, const HmmModel& model, const Densities& p, const Forward& f) {
  const Index count = model.initial.size();
  Expected all{Vec::Zero(count), Mat::Zero(count, count), f.filtered};
  for (Index s = 0; s < data.count(); ++s) {
    const Index begin = data.starts[static_cast<std::size_t>(s)], end = data.end(s);
    Vec behind = Vec::Ones(count);
    for (Index t = end - 2; t >= begin; --t) {
      const Vec ahead = p.scaled.col(t + 1).cwiseProduct(behind) / f.scales[t + 1];
      all.transition += f.filtered.col(t) * ahead.transpose();
      behind = model.transition * ahead;
      all.states.col(t).array() *= behind.array();
    }
    if (begin < end) all.initial += all.states.col(begin);
  }
  all.transition.array() *= model.transition.array();
  return all;
}

// Weighted mean of every value over the points that have it; the sum of squares about it, and the weights.
struct WeightedMoments {
  Mat mean;
  Vec squares, weights;
};

WeightedMoments moments(const Sequences& data, const Mat& weights, const Mat& otherwise) {
  const Mat present = data.values.array().isNaN().select(Mat::Zero(data.dim(), data.size()), 1.0);
  const Mat values = data.values.array().isNaN().select(0.0, data.values);
  const Mat total = present * weights.transpose();
  WeightedMoments all{
      (total.array() > 0).select((values * weights.transpose()).array() / total.array(), otherwise.array()),
      Vec::Zero(weights.rows()), total.colwise().sum().transpose()};
  for (Index k = 0; k < weights.rows(); ++k) {
    const Mat away = (values.colwise() - all.mean.col(k)).cwiseProduct(present);
    all.squares[k] = away.colwise().squaredNorm().dot(weights.row(k));
  }
  return all;
}

HmmModel maximized(const Sequences& data, const HmmEmOptions& options, const HmmModel& model, const Expected& e,
                   double least_variance) {
  HmmModel next = model;
  next.initial = e.initial / e.initial.sum();
  for (Index j = 0; j < e.transition.rows(); ++j) {
    const double total = e.transition.row(j).sum();
    if (total > 0) next.transition.row(j) = e.transition.row(j) / total;
  }
  const WeightedMoments m = moments(data, e.states, model.centres);
  next.centres = m.mean;
  if (options.emission != Emission::normal) return next;
  if (options.covariance == Covariance::shared) {
    next.variances[0] = std::max(least_variance, m.squares.sum() / m.weights.sum());
  } else {
    next.variances = (m.weights.array() > 0).select(m.squares.array() / m.weights.array(), model.variances.array());
    next.variances = next.variances.cwiseMax(least_variance);
  }
  return next;
}

double variance_of_all(const Sequences& data) {
  const WeightedMoments m = moments(data, Mat::Ones(1, data.size()), Mat::Zero(data.dim(), 1));
  return m.weights[0] > 0 ? m.squares[0] / m.weights[0] : 0;
}

Path most_probable(const Sequences& data, Emission emission, const HmmModel& model) {
  const EntryCosts costs = [&](Index begin, Eigen::Ref<Mat> to) {
    for (Index t = 0; t < to.cols(); ++t) {
      for (Index k = 0; k < to.rows(); ++k) {
        to(k, t) = -log_density(emission, data.values.col(begin + t), model.centres.col(k), variance_of(model, k));
      }
    }
  };
  return viterbi(data, {costs, -model.initial.array().log(), -model.transition.array().log()}).states;
}

}  // namespace

double log_likelihood(const Sequences& data, Emission emission, const HmmModel& model) {
  return forward(data, model, densities(data, emission, model)).log_likelihood;
}

HmmEmFit fit_hmm_em(const Sequences& data, const HmmEmOptions& options, HmmModel start) {
  HmmEmFit fit{std::move(start), 0, {}, {}, {}, false};
  const double least_variance = variance_floor * variance_of_all(data);
  for (int iteration = 0; iteration <= options.most_iterations; ++iteration) {
    const Densities p = densities(data, options.emission, fit.model);
    Forward f = forward(data, fit.model, p);
    fit.log_likelihood = f.log_likelihood;
    fit.trace.push_back(f.log_likelihood);
    fit.filtered = std::move(f.filtered);
    const std::size_t made = fit.trace.size();
    fit.converged = made > 1 && fit.trace[made - 1] - fit.trace[made - 2] < least_gain * std::abs(fit.trace[made - 2]);
    if (fit.converged || iteration == options.most_iterations) break;
    f.filtered = fit.filtered;
    fit.model = maximized(data, options, fit.model, expected(data, fit.model, p, f), least_variance);
  }
  fit.states = most_probable(data, options.emission, fit.model);
  return fit;
}

HmmEmFit fit_hmm_em(const Sequences& data, const HmmEmOptions& options, const Rng& rng) {
  const Index states = options.states;
  const double even = 1 / static_cast<double>(states);
  HmmEmFit best;
  for (int start = 0; start < options.restarts; ++start) {
    const Rng own = rng.child("restart", static_cast<std::uint64_t>(start));
    const Index variances = options.covariance == Covariance::shared ? 1 : states;
    HmmEmFit fit =
        fit_hmm_em(data, options,
                   {Vec::Constant(states, even), random_rows(states, own.stream("transition")),
                    kmeans(data, options.emission, states, own), Vec::Constant(variances, variance_of_all(data))});
    if (start == 0 || fit.log_likelihood > best.log_likelihood) best = std::move(fit);
  }
  return best;
}

}  // namespace quasar
