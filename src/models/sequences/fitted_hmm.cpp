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

Mat frequencies(const Mat& counts) {
  Mat rows = Mat::Identity(counts.rows(), counts.cols());
  for (Index j = 0; j < counts.rows(); ++j) {
    if (counts.row(j).sum() > 0) rows.row(j) = counts.row(j) / counts.row(j).sum();
  }
  return rows;
}

Mat certain_of_last(const Sequences& data, const Path& path, Index states) {
  Mat last = Mat::Zero(states, data.count());
  for (Index s = 0; s < data.count(); ++s) last(path[static_cast<std::size_t>(data.end(s) - 1)], s) = 1;
  return last;
}

FittedHmm of_path(const Sequences& data, Emission emission, const Path& path, const Mat& centres) {
  const Index states = centres.cols();
  return {path, centres, variances_of(emission, data, path, centres),
          frequencies(transition_counts(data, path, states)), certain_of_last(data, path, states)};
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
  model.transition = fit.model.transition;
  for (Index s = 0; s < data.count(); ++s) model.last.col(s) = fit.filtered.col(data.end(s) - 1);
  return model;
}

Forecast forecast(const FittedHmm& model, Index sequence, Index steps) {
  Forecast ahead{Mat(model.centres.rows(), steps), Mat(model.centres.rows(), steps)};
  const Mat second_moments = model.variances + model.centres.cwiseAbs2();
  Vec now = model.last.col(sequence);
  for (Index h = 0; h < steps; ++h) {
    now = model.transition.transpose() * now;
    ahead.mean.col(h) = model.centres * now;
    ahead.sd.col(h) = (second_moments * now - ahead.mean.col(h).cwiseAbs2()).cwiseMax(0).cwiseSqrt();
  }
  return ahead;
}

}  // namespace quasar
