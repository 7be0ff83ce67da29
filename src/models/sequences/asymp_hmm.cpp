#include "models/sequences/asymp_hmm.hpp"

#include <cmath>

#include "models/sequences/starts.hpp"
#include "models/sequences/transitions.hpp"

namespace quasar {
namespace {

constexpr double least_gain = 1e-9;  // relative

Mat frequencies(const Mat& counts, double smoothing, const Mat& otherwise) {
  Mat transition = otherwise;
  for (Index j = 0; j < counts.rows(); ++j) {
    const double total = counts.row(j).sum() + smoothing * static_cast<double>(counts.cols());
    if (total > 0) transition.row(j) = (counts.row(j).array() + smoothing) / total;
  }
  return transition;
}

// -lambda sum_jk n_jk log T_jk, where what is never used costs nothing even if T is 0.
double transition_cost(double lambda, const Mat& counts, const Mat& transition) {
  double sum = 0;
  for (Index i = 0; i < counts.size(); ++i) {
    if (counts.reshaped()[i] > 0) sum -= counts.reshaped()[i] * std::log(transition.reshaped()[i]);
  }
  return lambda * sum;
}

}  // namespace

HmmFit fit_asymp_hmm(const Sequences& data, const AsympHmmOptions& options, Mat centres, Mat transition) {
  const Index states = centres.cols();
  HmmFit fit;
  PathCosts costs{divergences(data, options.emission, centres), Vec::Zero(states), {}};
  const auto monitored = [&](const Mat& counts) {
    const Mat smoothed = counts.array() + options.smoothing;
    return total_divergence(options.emission, data, fit.states, centres) +
           transition_cost(options.lambda, smoothed, transition);
  };
  for (int iteration = 0; iteration < options.most_iterations && !fit.converged; ++iteration) {
    costs.transition =
        options.lambda > 0 ? Mat(-options.lambda * transition.array().log()) : Mat(Mat::Zero(states, states));
    Path path = viterbi(data, costs).states;
    const bool same = path == fit.states;
    fit.states = std::move(path);
    const Mat counts = transition_counts(data, fit.states, states);
    fit.trace.push_back(monitored(counts));
    centres = centres_of(data, fit.states, centres);
    transition = frequencies(counts, options.smoothing, transition);
    fit.trace.push_back(monitored(counts));
    const std::size_t turns = fit.trace.size();
    const bool little =
        turns >= 4 && fit.trace[turns - 3] - fit.trace[turns - 1] < least_gain * std::abs(fit.trace.back());
    fit.converged = same || little;
    fit.objective = total_divergence(options.emission, data, fit.states, centres) +
                    transition_cost(options.lambda, counts, transition);
  }
  fit.centres = std::move(centres);
  fit.transition = std::move(transition);
  return fit;
}

HmmFit fit_asymp_hmm(const Sequences& data, const AsympHmmOptions& options, const Rng& rng) {
  HmmFit best;
  for (int start = 0; start < options.restarts; ++start) {
    const Rng own = rng.child("restart", static_cast<std::uint64_t>(start));
    HmmFit fit = fit_asymp_hmm(data, options, kmeans(data, options.emission, options.states, own),
                               random_rows(options.states, own.stream("transition")));
    if (start == 0 || fit.objective < best.objective) best = std::move(fit);
  }
  return best;
}

}  // namespace quasar
