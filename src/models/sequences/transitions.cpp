#include "models/sequences/transitions.hpp"

#include <cmath>

namespace quasar {

double x_log_x(double x) { return x > 0 ? x * std::log(x) : 0; }

Mat transition_counts(const Sequences& data, const Path& path, Index states) {
  Mat counts = Mat::Zero(states, states);
  for (Index s = 0; s < data.count(); ++s) {
    for (Index t = data.starts[static_cast<std::size_t>(s)] + 1; t < data.end(s); ++t) {
      counts(path[static_cast<std::size_t>(t - 1)], path[static_cast<std::size_t>(t)]) += 1;
    }
  }
  return counts;
}

Mat frequencies(const Mat& counts, const Mat& otherwise) {
  Mat transition = otherwise;
  for (Index j = 0; j < counts.rows(); ++j) {
    const double total = counts.row(j).sum();
    if (total > 0) transition.row(j) = counts.row(j) / total;
  }
  return transition;
}

Mat transition_costs(double lambda, const Mat& transition) {
  if (lambda == 0) return Mat::Zero(transition.rows(), transition.cols());
  return -lambda * transition.array().log();
}

double transition_entropy(const Mat& counts) {
  return counts.rowwise().sum().unaryExpr(&x_log_x).sum() - counts.unaryExpr(&x_log_x).sum();
}

Mat centres_of(const Sequences& data, const Path& path, const Mat& otherwise) {
  Mat sums = Mat::Zero(otherwise.rows(), otherwise.cols()), observed = sums;
  for (Index t = 0; t < data.size(); ++t) {
    const Index k = path[static_cast<std::size_t>(t)];
    for (Index i = 0; i < data.dim(); ++i) {
      if (std::isnan(data.values(i, t))) continue;
      sums(i, k) += data.values(i, t);
      observed(i, k) += 1;
    }
  }
  return (observed.array() > 0).select(sums.array() / observed.array(), otherwise.array());
}

double total_divergence(Emission emission, const Sequences& data, const Path& path, const Mat& centres) {
  double sum = 0;
  for (Index t = 0; t < data.size(); ++t) {
    const Index k = path[static_cast<std::size_t>(t)];
    for (Index i = 0; i < data.dim(); ++i) {
      const double x = data.values(i, t);
      if (!std::isnan(x)) sum += divergence(emission, x, centres(i, k));
    }
  }
  return sum;
}

}  // namespace quasar
