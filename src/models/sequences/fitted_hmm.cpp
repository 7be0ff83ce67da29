#include "models/sequences/fitted_hmm.hpp"

#include <cmath>

namespace quasar {
namespace {

Mat variances_of(Emission emission, const Sequences& data, const Path& path, const Mat& centres) {
  if (emission == Emission::poisson) return centres;
  if (emission == Emission::categorical) return centres.array() * (1 - centres.array());
  Sequences squares = data;
  for (Index t = 0; t < data.size(); ++t) {
    squares.values.col(t) -= centres.col(path[static_cast<std::size_t>(t)]);
    squares.values.col(t) = squares.values.col(t).cwiseAbs2();
  }
  return centres_of(squares, path, Mat::Zero(centres.rows(), centres.cols()));
}

Mat certain_of_last(const Sequences& data, const Path& path, Index states) {
  Mat last = Mat::Zero(states, data.count());
  for (Index s = 0; s < data.count(); ++s) last(path[static_cast<std::size_t>(data.end(s) - 1)], s) = 1;
  return last;
}

FittedHmm of_path(const Sequences& data, Emission emission, const Path& path, const Mat& centres) {
  const Index states = centres.cols();
  return {path, centres, variances_of(emission, data, path, centres),
          frequencies(transition_counts(data, path, states), Mat::Identity(states, states)),
          certain_of_last(data, path, states)};
}

// Of normal states, as the model has them: the points that the most probable path gives a state are those nearest to
// it, and spread less.
Mat variances_of(const HmmModel& model, StateCovariance covariance) {
  Mat variances(model.centres.rows(), model.centres.cols());
  for (Index k = 0; k < variances.cols(); ++k) {
    if (covariance == StateCovariance::full) {
      variances.col(k) = model.covariances[static_cast<std::size_t>(k)].diagonal();
    } else {
      variances.col(k).setConstant(model.variances[covariance == StateCovariance::shared ? 0 : k]);
    }
  }
  return variances;
}

}  // namespace

FittedHmm fitted(const Sequences& data, const AsympHmmOptions& options, const HmmFit& fit) {
  return of_path(data, options.emission, fit.states, fit.centres);
}

FittedHmm fitted(const Sequences& data, const AsympIhmmOptions& options, const IhmmFit& fit) {
  return of_path(data, options.emission, fit.states, centres_of(options.emission, fit.stats));
}

FittedHmm fitted(const Sequences& data, const HmmEmOptions& options, const HmmEmFit& fit) {
  FittedHmm model = of_path(data, options.emission, fit.states, fit.model.centres);
  if (options.emission == Emission::normal) model.variances = variances_of(fit.model, options.covariance);
  model.transition = fit.model.transition;
  for (Index s = 0; s < data.count(); ++s) model.last.col(s) = fit.filtered.col(data.end(s) - 1);
  return model;
}

Forecast forecast(const FittedHmm& model, Index sequence, Index steps) {
  Forecast ahead{Mat(model.centres.rows(), steps), Mat(model.centres.rows(), steps)};
  Vec now = model.last.col(sequence);
  for (Index h = 0; h < steps; ++h) {
    now = model.transition.transpose() * now;
    ahead.mean.col(h) = model.centres * now;
    const Mat off_mean = model.centres.colwise() - ahead.mean.col(h);
    ahead.sd.col(h) = ((model.variances + off_mean.cwiseAbs2()) * now).cwiseSqrt();
  }
  return ahead;
}

}  // namespace quasar
